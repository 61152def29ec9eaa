"""The table of commands: what each is for, its group in the help, its exit codes."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click


class TooFewArguments(Exception):
    """A command lacks an argument that a flag could have given."""


REFUSED = "refused"
USAGE = "usage"
IGNORED = "ignored"
"""What a command does with more arguments than it takes.

Under its own name a tool of Caffe's does what the original does.
"""


@dataclass(frozen=True)
class Entry:
    """One command.  Its module, ``caffepy.cli.<name>``, is imported only when the command runs."""

    name: str
    group: str
    summary: str
    usage_exit: int = 1
    """Exit code under Caffe's own program name when arguments are missing.

    Some of Caffe's tools end with 0.
    """
    surplus: str = REFUSED
    usage_to_stderr: bool = False
    """Under that name the usage, shown when arguments are missing, goes to standard error.

    The originals that read no gflags log it.
    """
    help_exit: int = 1
    """Exit code of --help under that name; gflags' own is 1."""
    quiet: bool = False
    """Under that name lines of severity I are not shown on standard error.

    So do the originals that leave glog as it is.
    """

    def load(self) -> click.Command:
        """The click command object of the module."""
        command: click.Command = importlib.import_module(f"caffepy.cli.{self.name}").command
        return command


NETS, DATA, FORMATS, REPORTS, EXTRA, MACHINE = (
    "Nets",
    "Data",
    "Formats",
    "Reports",
    "Caffe's tools/extra",
    "Machine",
)

COMMANDS = {
    entry.name: entry
    for entry in (
        Entry("train", NETS, "train a net, resume a training, or fine-tune weights"),
        Entry("test", NETS, "score weights on a net's test data"),
        Entry("time", NETS, "time each layer of a net, forward and backward"),
        Entry(
            "extract_features",
            NETS,
            "blobs of a net for every record of its data, to databases",
            surplus=IGNORED,
            usage_to_stderr=True,
            quiet=True,
        ),
        Entry(
            "classification",
            NETS,
            "the five likeliest labels of images",
            surplus=USAGE,
            usage_to_stderr=True,
            quiet=True,
        ),
        Entry(
            "convert_imageset", DATA, "images and a list of labels to a database", surplus=IGNORED
        ),
        Entry(
            "convert_annoset",
            DATA,
            "images and annotations of their objects to a database",
            surplus=IGNORED,
        ),
        Entry("create_label_map", DATA, "a list of classes to a label map", surplus=IGNORED),
        Entry("get_image_size", DATA, "names and sizes of the images of a list", surplus=IGNORED),
        Entry("compute_image_mean", DATA, "mean image of a database", surplus=USAGE),
        Entry(
            "convert_cifar_data",
            DATA,
            "CIFAR-10's binary files to databases",
            usage_exit=0,
            surplus=USAGE,
            help_exit=0,
        ),
        Entry(
            "convert_mnist_data", DATA, "MNIST's files to a database", usage_exit=0, surplus=USAGE
        ),
        Entry(
            "convert_mnist_siamese_data",
            DATA,
            "MNIST's files to a database of pairs",
            usage_exit=0,
            surplus=USAGE,
            help_exit=0,
            quiet=True,
        ),
        Entry("partition_data", DATA, "a database as several, one for each rank"),
        Entry(
            "upgrade_net_proto_text",
            FORMATS,
            "a net's prototxt of an earlier Caffe to the present format",
            surplus=USAGE,
            usage_to_stderr=True,
        ),
        Entry(
            "upgrade_net_proto_binary",
            FORMATS,
            "the same for a caffemodel",
            surplus=USAGE,
            usage_to_stderr=True,
        ),
        Entry(
            "upgrade_solver_proto_text",
            FORMATS,
            "the same for a solver's prototxt",
            surplus=USAGE,
            usage_to_stderr=True,
        ),
        Entry("export", FORMATS, "a net as ONNX, a Python file, a torch program, safetensors"),
        Entry("summary", REPORTS, "a net's layers: shapes, parameters, FLOPs, memory"),
        Entry("view", REPORTS, "a page that shows a net, its weights, or trainings"),
        Entry(
            "draw_net",
            REPORTS,
            "a picture of a net",
            usage_exit=2,
            usage_to_stderr=True,
            help_exit=0,
        ),
        Entry("plot", REPORTS, "the curves of trainings as a picture"),
        Entry(
            "parse_log",
            EXTRA,
            "the numbers of a training log as tables",
            usage_exit=2,
            usage_to_stderr=True,
            help_exit=0,
        ),
        Entry(
            "plot_training_log",
            EXTRA,
            "one of Caffe's eight charts of training logs",
            usage_exit=0,
            help_exit=0,
        ),
        Entry(
            "extract_seconds", EXTRA, "the times of a training log's iterations", surplus=IGNORED
        ),
        Entry("resize_and_crop_images", EXTRA, "pictures to squares of one size"),
        Entry(
            "summarize",
            EXTRA,
            "a net's prototxt as a table",
            usage_exit=2,
            usage_to_stderr=True,
            help_exit=0,
        ),
        Entry("device_query", MACHINE, "what the GPUs of this machine are"),
        Entry("cluster", MACHINE, "the ranks of a job: devices, versions, folders, links"),
        Entry(
            "completion",
            MACHINE,
            "a script that lets bash, zsh or fish complete commands and flags",
        ),
    )
}

ACTIONS = ("train", "test", "time", "device_query")
"""The actions of Caffe's own ``caffe`` program; they share one set of flags."""

CAFFES = ("caffe", "caffe_main")
"""Names of Caffe's program: its own, and PMLS-Caffe's."""

RETIRED = {
    "train_net": "caffe train --solver=... [--snapshot=...]",
    "finetune_net": "caffe train --solver=... [--weights=...]",
    "test_net": "caffe test --model=... --weights=...",
    "net_speed_benchmark": "caffe time --model=... [--iterations=50]",
}
"""Programs of the first Caffes, and what took their place.

Caffe 1.0 still has them, to say this.
"""
