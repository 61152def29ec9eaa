"""Features: the values of blobs, for each record of a net's data, written to databases."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from torch import Tensor

from caffepy import log
from caffepy.data.convert import Progress, log_speed
from caffepy.data.datum import encode
from caffepy.data.stores import Writer
from caffepy.engine.layerwise import LayerwiseEngine
from caffepy.errors import DataError, NetError, nearest
from caffepy.net.graph import Graph

PLACE = "extract_features.cpp"
LOG_EVERY = 1000
"""How many items are written between two lines of the log."""


def check_blobs(engine: LayerwiseEngine, blobs: Collection[str], file: str) -> None:
    """Errors: NetError unless the net of this ``file`` has all these blobs."""
    for name in blobs:
        if name in engine.blobs:
            continue
        hint = nearest(name, engine.blobs)
        if tops := _tops_of_layer(engine.graph, name):
            hint = f"; it is a layer, which makes {', '.join(map(repr, tops))}"
        raise NetError(f"Unknown feature blob name {name} in the network {file}{hint}")


def _tops_of_layer(graph: Graph, name: str) -> list[str]:
    """The names of the tops of the layer, if there is one of this name."""
    tops = []
    for node in graph.nodes:
        if node.name == name:
            tops += [graph.values[top].name for top in node.tops]
    return tops


def extract(
    engine: LayerwiseEngine,
    features: Sequence[tuple[str, Writer]],
    batches: int,
    progress: Progress,
) -> None:
    """Run the batches, and write the items of each blob to its database under their numbers."""
    began = time.monotonic()
    # Caffe's tool logs these lines as errors, and scripts wait for them
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
                if written[i] % LOG_EVERY == 0:
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
        log_speed(f"{PLACE}:176", written[0], began, write=log.error)


def records(name: str, values: Tensor) -> list[bytes]:
    """A Datum of floats for each item of a blob.

    ``values``: (N, C, H, W); axes that are missing are 1. Errors: DataError if there are more.
    """
    if values.dim() > 4:
        raise DataError(
            f"blob '{name}' has {values.dim()} axes; "
            "needed: at most 4 (a Datum has channels, height and width)"
        )
    n, c, h, w = (*values.shape, 1, 1, 1, 1)[:4]
    items = values.cpu().numpy().reshape(n, -1)
    return [encode(None, shape=(c, h, w), floats=item) for item in items]
