"""The flags that scripts written for Caffe pass. A name may be added here; none may go, change its default or its type."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.cli.commands import ACTIONS, COMMANDS
from caffepy.cli.flags import CAFFE, COMMON
from caffepy.cli.options import flags_of, options_of

CAFFE_FLAGS = {
    "gpu": ("string", ""),
    "iterations": ("int32", "50"),
    "level": ("int32", "0"),
    "model": ("string", ""),
    "phase": ("string", ""),
    "sighup_effect": ("string", "snapshot"),
    "sigint_effect": ("string", "stop"),
    "snapshot": ("string", ""),
    "solver": ("string", ""),
    "stage": ("string", ""),
    "weights": ("string", ""),
}
PARALLEL_FLAGS: dict[str, object] = {
    "exchange": "allreduce",
    "batch_mode": "per_rank",
    "grad_scale": "mean",
    "lazy_update": False,
    "compress": "none",
    "table_staleness": 0,
    "svb": "",
    "n_group": 1,
    "n_server": 0,
    "round_timeout": 0.0,
    "bandwidth_mbps": 0.0,
    "hostfile": "",
    "client_id": 0,
    "num_clients": 1,
    "consistency_model": "",
    "net_outputs": "",
    "num_table_threads": "",
    "num_comm_channels_per_client": "",
    "num_rows_per_table": "",
    "init_thread_access_table": "",
    "stats_path": "",
    "svb_timeout_ms": "",
}
"""Of train: this program's own, and those of PMLS-Caffe and Intel Caffe."""
TOOL_FLAGS: dict[str, dict[str, object]] = {
    "convert_imageset": {
        "backend": "lmdb",
        "check_size": False,
        "encode_type": "",
        "encoded": False,
        "gray": False,
        "resize_height": 0,
        "resize_width": 0,
        "shuffle": False,
    },
    "convert_annoset": {
        "anno_type": "classification",
        "backend": "lmdb",
        "check_label": False,
        "check_size": False,
        "encode_type": "",
        "encoded": False,
        "gray": False,
        "label_map_file": "",
        "label_type": "xml",
        "max_dim": 0,
        "min_dim": 0,
        "resize_height": 0,
        "resize_width": 0,
        "shuffle": False,
    },
    "create_label_map": {"include_background": False, "delimiter": " "},
    "get_image_size": {"name_id_file": ""},
    "compute_image_mean": {"backend": "lmdb"},
    "convert_mnist_data": {"backend": "lmdb"},
    "convert_cifar_data": {},
    "partition_data": {"backend": "lmdb"},
    "convert_mnist_siamese_data": {},
    "extract_features": {"engine": "torch"},
    "test": {"engine": "torch"},
    "time": {"cluster": ""},
    "cluster": {"gpu": "auto", "hosts": "", "mpirun": "", "list": False},
    "classification": {"mean": "", "scale": 1.0, "crop": "", "out": ""},
    "upgrade_net_proto_text": {},
    "upgrade_net_proto_binary": {},
    "upgrade_solver_proto_text": {},
    "parse_log": {"verbose": False, "delimiter": ","},
    "train": {
        "metrics": "",
        "tensorboard": "",
        "shard": "record",
        "shuffle": False,
        "readers": 0,
        "in_memory": False,
        **PARALLEL_FLAGS,
    },
}
ARGUMENTS = {
    "convert_imageset": 3,
    "convert_annoset": 3,
    "create_label_map": 2,
    "get_image_size": 3,
    "compute_image_mean": 2,
    "convert_cifar_data": 3,
    "convert_mnist_data": 3,
    "convert_mnist_siamese_data": 3,
    "partition_data": 1,
    "extract_features": 8,
    "test": 0,
    "time": 0,
    "cluster": 0,
    "classification": 3,  # of which the last takes the mean, the labels and any number of images
    "upgrade_net_proto_text": 2,
    "upgrade_net_proto_binary": 2,
    "upgrade_solver_proto_text": 2,
    "parse_log": 2,
    "train": 0,
}
GLOG_FLAGS = """alsologtoemail alsologtostderr colorlogtostderr colorlogtostdout drop_log_memory log_backtrace_at log_dir log_link
    log_prefix log_utc_time log_year_in_prefix logbuflevel logbufsecs logcleansecs logemaillevel logfile_mode logmailer
    logtostderr logtostdout max_log_size minloglevel stderrthreshold stop_logging_if_full_disk symbolize_stacktrace
    timestamp_in_logfile_name v vmodule"""
GFLAGS_FLAGS = "flagfile fromenv tryfromenv undefok help helpfull helpmatch helpon helppackage helpshort helpxml version"


def exists(name: str) -> bool:
    return (Path(__file__).parents[2] / f"caffepy/cli/{name}.py").exists()


def test_flags_of_the_caffe_program() -> None:
    assert {name: (flag.kind, flag.default) for name, flag in CAFFE.items()} == CAFFE_FLAGS


def test_flags_of_every_program() -> None:
    assert set(GLOG_FLAGS.split()) | set(GFLAGS_FLAGS.split()) <= set(COMMON)


@pytest.mark.parametrize("name", list(filter(exists, ACTIONS)))
def test_actions_take_all_of_caffes_flags(name: str) -> None:
    command = COMMANDS[name].load()
    kinds = {flag: known.kind for flag, known in flags_of(command).items()}
    defaults = {flag: str(option.default) for flag, option in options_of(command).items()}
    for flag, (kind, default) in CAFFE_FLAGS.items():
        assert (kinds[flag], defaults[flag]) == (kind, default)


@pytest.mark.parametrize("name", list(filter(exists, TOOL_FLAGS)))
def test_flags_of_the_tools(name: str) -> None:
    command = COMMANDS[name].load()
    options = options_of(command)
    for flag, default in TOOL_FLAGS[name].items():
        given = options[flag].default
        assert (given or type(default)()) == default, f"-{flag}"
    assert sum(parameter.param_type_name == "argument" for parameter in command.params) == ARGUMENTS[name]
