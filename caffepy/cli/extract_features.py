"""``extract_features``: what blobs of a net hold for the records of its data, written to databases."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.cli.engine_flag import engine_flag, wants_onnxruntime
from caffepy.cli.progress import progress_bar
from caffepy.errors import DataError, NetError, UsageError, nearest

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from caffepy.data.convert import Progress
    from caffepy.data.stores import Writer
    from caffepy.engine.layerwise import LayerwiseEngine

PLACE = "extract_features.cpp"
TOLD_EVERY = 1000


@click.command("extract_features")
@engine_flag
@click.argument("pretrained_net_param")
@click.argument("feature_extraction_proto_file")
@click.argument("extract_feature_blob_names")
@click.argument("save_feature_dataset_names")
@click.argument("num_mini_batches", type=int)
@click.argument("db_type")
@click.argument("device", required=False, default="CPU")
@click.argument("device_id", required=False, type=int, default=0)
def command(
    *,
    pretrained_net_param: str,
    feature_extraction_proto_file: str,
    extract_feature_blob_names: str,
    save_feature_dataset_names: str,
    num_mini_batches: int,
    db_type: str,
    device: str,
    device_id: int,
    engine: str,
) -> None:
    """Run a net in the TEST phase over so many batches of its own data, and write the blobs named (separated by commas) to as
    many databases, one Datum of floats for each item of a batch. DB_TYPE is lmdb or leveldb, DEVICE GPU or, whatever else it is, the CPU.
    """
    blobs, datasets = extract_feature_blob_names.split(","), save_feature_dataset_names.split(",")
    if len(blobs) != len(datasets):
        found = f"{len(blobs)} blob name(s), {len(datasets)} dataset name(s)"
        raise UsageError(f"the number of blob names and dataset names must be equal; found: {found}")
    if len(set(datasets)) < len(datasets):
        raise UsageError(f"each blob needs a dataset of its own; found: {save_feature_dataset_names}")
    by_runtime = wants_onnxruntime(engine, gpu=device == "GPU")
    from caffepy.data.stores import open_write
    from caffepy.engine.engines import Factory, close
    from caffepy.engine.weights import copy_trained_layers
    from caffepy.layers.base import TEST
    from caffepy.layers.random import CaffeRandom
    from caffepy.net.definition import lone_definition

    factory = Factory(chosen_device(device, device_id), CaffeRandom(None))
    net = factory.make_layerwise(lone_definition(feature_extraction_proto_file, TEST), weights=[pretrained_net_param])
    with ExitStack() as stack:
        stack.callback(close, net)
        copy_trained_layers(net.graph, net.arena, pretrained_net_param)
        for name in blobs:
            if name not in net.blobs:
                tops = [net.graph.values[top].name for node in net.graph.nodes if node.name == name for top in node.tops]
                hint = f"; it is a layer, which makes {', '.join(map(repr, tops))}" if tops else nearest(name, net.blobs)
                raise NetError(f"Unknown feature blob name {name} in the network {feature_extraction_proto_file}{hint}")
        if by_runtime:
            from caffepy.onnx.outsource import blobs_by_onnxruntime

            net = blobs_by_onnxruntime(net, blobs)
        writers = [stack.enter_context(open_write(dataset, db_type)) for dataset in datasets]
        with progress_bar("images") as progress:
            extract(net, list(zip(blobs, writers)), num_mini_batches, progress)
    log.error(f"{PLACE}:181", "Successfully extracted the features!")


def chosen_device(word: str, number: int) -> torch.device:
    """``GPU`` and its number, or the CPU."""
    from caffepy.cli.devices import cpu, single_device

    if word != "GPU":
        if word.upper() != "CPU":
            log.warning(f"{PLACE}:0", f"'{word}' is no device, and the CPU is used, as in Caffe; needed: CPU or GPU")
        log.error(f"{PLACE}:62", "Using CPU")
        return cpu()
    log.error(f"{PLACE}:52", "Using GPU")
    log.error(f"{PLACE}:58", f"Using Device_id={number}")
    return single_device(str(number), 0, flag=word)


def extract(engine: LayerwiseEngine, features: Sequence[tuple[str, Writer]], batches: int, progress: Progress) -> None:
    """Run the batches and write the items of each blob to its database under running numbers."""
    from caffepy.data.convert import tell_speed

    began = time.monotonic()
    # Caffe's tool says what it does at ERROR level, and people's scripts wait for these lines
    log.error(f"{PLACE}:133", "Extracting Features")
    written = [0] * len(features)
    if batches < 1:
        log.warning(f"{PLACE}:133", f"{batches} batches: the databases will be empty; needed: at least 1")
    for done in range(1, batches + 1):
        engine.forward()
        for i, (name, writer) in enumerate(features):
            for record in records(name, engine.blobs[name].data):
                writer.put(b"%010d" % written[i], record)
                written[i] += 1
                if written[i] % TOLD_EVERY == 0:
                    log.error(f"{PLACE}:165", f"Extracted features of {written[i]} query images for feature blob {name}")
        progress(written[0], written[0] // done * batches)
    for (name, _), count in zip(features, written):
        log.error(f"{PLACE}:176", f"Extracted features of {count} query images for feature blob {name}")
    if written[0]:
        tell_speed(f"{PLACE}:176", written[0], began, tell=log.error)


def records(name: str, values: Tensor) -> list[bytes]:
    """A Datum of floats for each item of a blob: (N, C, H, W), missing axes 1."""
    from caffepy.data.datum import encode

    if values.dim() > 4:
        raise DataError(f"blob '{name}' has {values.dim()} axes; needed: at most 4 (a Datum has channels, height and width)")
    n, c, h, w = (*values.shape, 1, 1, 1, 1)[:4]
    return [encode(None, shape=(c, h, w), floats=item) for item in values.cpu().numpy().reshape(n, -1)]
