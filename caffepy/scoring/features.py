"""What blobs of a net hold for the records of its data, written to databases."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from torch import Tensor

from caffepy import log
from caffepy.data.convert import Progress, tell_speed
from caffepy.data.datum import encode
from caffepy.data.stores import Writer
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.errors import DataError, NetError, nearest

PLACE = "extract_features.cpp"
TOLD_EVERY = 1000


def check_blobs(engine: LayerwiseEngine, blobs: Collection[str], file: str) -> None:
    """NetError unless the net of this ``file`` has all these blobs."""
    for name in blobs:
        if name not in engine.blobs:
            tops = [
                engine.graph.values[top].name
                for node in engine.graph.nodes
                if node.name == name
                for top in node.tops
            ]
            hint = (
                f"; it is a layer, which makes {', '.join(map(repr, tops))}"
                if tops
                else nearest(name, engine.blobs)
            )
            raise NetError(f"Unknown feature blob name {name} in the network {file}{hint}")


def extract(
    engine: LayerwiseEngine,
    features: Sequence[tuple[str, Writer]],
    batches: int,
    progress: Progress,
) -> None:
    """Run the batches and write the items of each blob to its database under running numbers."""
    began = time.monotonic()
    # Caffe's tool says what it does at ERROR level, and people's scripts wait for these lines
    log.error(f"{PLACE}:133", "Extracting Features")
    written = [0] * len(features)
    if batches < 1:
        log.warning(
            f"{PLACE}:133", f"{batches} batches: the databases will be empty; needed: at least 1"
        )
    for done in range(1, batches + 1):
        engine.forward()
        for i, (name, writer) in enumerate(features):
            for record in records(name, engine.blobs[name].data):
                writer.put(b"%010d" % written[i], record)
                written[i] += 1
                if written[i] % TOLD_EVERY == 0:
                    log.error(
                        f"{PLACE}:165",
                        f"Extracted features of {written[i]} query images for feature blob {name}",
                    )
        progress(written[0], written[0] // done * batches)
    for (name, _), count in zip(features, written):
        log.error(
            f"{PLACE}:176", f"Extracted features of {count} query images for feature blob {name}"
        )
    if written[0]:
        tell_speed(f"{PLACE}:176", written[0], began, tell=log.error)


def records(name: str, values: Tensor) -> list[bytes]:
    """A Datum of floats for each item of a blob: (N, C, H, W), missing axes 1."""
    if values.dim() > 4:
        raise DataError(
            f"blob '{name}' has {values.dim()} axes; needed: at most 4 (a Datum has channels, height and width)"
        )
    n, c, h, w = (*values.shape, 1, 1, 1, 1)[:4]
    return [
        encode(None, shape=(c, h, w), floats=item) for item in values.cpu().numpy().reshape(n, -1)
    ]
