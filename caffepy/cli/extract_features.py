"""``extract_features``: blobs of a net for each record of its data, written to databases."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from caffepy import log
from caffepy.cli.engine_flag import checked_engine, engine_flag
from caffepy.cli.progress import progress_bar
from caffepy.engine_names import TORCH
from caffepy.errors import UsageError

if TYPE_CHECKING:
    import torch

PLACE = "extract_features.cpp"


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
    """Run a net in the TEST phase on batches of its own data, and write blobs to databases.

    Names of blobs are separated by commas, as are those of the databases, one for each blob. A
    database gets a Datum of floats for each item of a batch. DB_TYPE is lmdb or leveldb. DEVICE is
    GPU or CPU; any other word means the CPU.
    """
    blobs = extract_feature_blob_names.split(",")
    datasets = save_feature_dataset_names.split(",")
    if len(blobs) != len(datasets):
        raise UsageError(
            f"{len(blobs)} blob name(s) and {len(datasets)} dataset name(s);"
            " needed: as many of both"
        )
    if len(set(datasets)) < len(datasets):
        raise UsageError(
            f"a dataset is named twice: {save_feature_dataset_names}; needed: one for each blob"
        )
    engine_name = checked_engine(engine, gpu=device == "GPU")
    from caffepy.data.stores import open_write
    from caffepy.engine.engines import Setup, close, open_layerwise
    from caffepy.layers.core.base import TEST
    from caffepy.layers.core.random import CaffeRandom
    from caffepy.net.definition import lone_definition
    from caffepy.scoring.features import check_blobs, extract

    setup = Setup(chosen_device(device, device_id), CaffeRandom(None))
    net = open_layerwise(
        lone_definition(feature_extraction_proto_file, TEST), [pretrained_net_param], setup=setup
    )
    with ExitStack() as stack:
        stack.callback(close, net)
        check_blobs(net, blobs, feature_extraction_proto_file)
        if engine_name != TORCH:
            from caffepy.onnx.choice import blobs_engine_by

            net = blobs_engine_by(engine_name, net, blobs)
        writers = [stack.enter_context(open_write(dataset, db_type)) for dataset in datasets]
        with progress_bar("images") as progress:
            extract(net, list(zip(blobs, writers)), num_mini_batches, progress)
    log.error(f"{PLACE}:181", "Successfully extracted the features!")


def chosen_device(word: str, number: int) -> torch.device:
    """``GPU`` and its number, or the CPU."""
    from caffepy.cli.devices import cpu, single_device

    if word != "GPU":
        if word.upper() != "CPU":
            log.warning(
                f"{PLACE}:0",
                f"'{word}' is no device, and the CPU is used, as in Caffe; needed: CPU or GPU",
            )
        log.error(f"{PLACE}:62", "Using CPU")
        return cpu()
    log.error(f"{PLACE}:52", "Using GPU")
    log.error(f"{PLACE}:58", f"Using Device_id={number}")
    return single_device(str(number), 0, flag=word)
