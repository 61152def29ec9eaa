"""What reads each kind of input.  Every function takes the name of a file that may be damaged, in a folder with the sound ones."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from caffepy.cli.main import dispatch, run
from caffepy.data import datum, detections, image_file, label_map, list_files, mean_file, window_file
from caffepy.data.convert import annotation_files, cifar, mnist
from caffepy.data.sources import hdf5_data, parallel_data
from caffepy.data.stores import open_read
from caffepy.engine.arena import Arena
from caffepy.engine.weights import copy_trained_layers
from caffepy.errors import CaffeError
from caffepy.net import compile
from caffepy.parallel.launch import machine_file
from caffepy.parallel.predict import cluster_spec
from caffepy.proto import caffe_pb2, weights
from caffepy.proto.text import parse, read_net
from caffepy.proto.upgrade import net_needs_upgrade, upgrade_net_fully
from caffepy.report import log_tables, parse_log, training_log
from caffepy.report.log_clock import write_seconds
from caffepy.report.offline import Shapes
from caffepy.report.summary import summarize
from caffepy.solver.setup.checks import check
from caffepy.solver.setup.definition import load_solver
from caffepy.solver.solver import Solver
from caffepy.solver.update_rules.lr_policy import PolicyState, check_policy, learning_rate
from tests.contract.fuzz import seeds
from tools.campaign.fuzzing import damage, samples

Damage = Callable[[random.Random, bytes], bytes]
FILE = "damaged"


@dataclass(frozen=True)
class Kind:
    """``share``: of all inputs, in parts of their sum. ``sources``: sound files. ``hungry``: it may ask for more than the memory."""

    name: str
    share: float
    sources: Sequence[bytes]
    damage: Damage
    read: Callable[[str], object]
    hungry: bool = False

    def make(self, rng: random.Random) -> bytes:
        """An input."""
        return self.damage(rng, rng.choice(self.sources))


def net_text(path: str) -> None:
    """Parse, upgrade, compile, sum up."""
    message, places = read_net(path)
    graph = compile(message, where=places.where, opener=Shapes().open)
    try:
        summarize(graph)
    finally:
        for source in graph.sources.values():
            source.close()


def solver_text(path: str) -> None:
    """Parse, upgrade, check, and some rates."""
    param, places = load_solver(path)
    check(param, places)
    check_policy(param, file=places.file)
    state = PolicyState()
    for iteration in range(4):
        learning_rate(param, iteration, state, lambda: 1.0)


def upgraded(path: str) -> None:
    """As upgrade_net_proto_binary."""
    net = weights.read_net_binary(path)
    if net_needs_upgrade(net):
        net = upgrade_net_fully(net, path).net
    weights.write_net_message("upgraded", net)


def records(backend: str, sound: str) -> Callable[[str], None]:
    """All records of a database; the damaged file takes the place of one of its files."""

    def read(path: str) -> None:
        names = sorted(os.listdir(sound))
        content = Path(path).read_bytes() or b"\0"
        name = names[content[0] % len(names)] if backend == "leveldb" else "data.mdb"
        shutil.rmtree("database", ignore_errors=True)
        shutil.copytree(sound, "database")
        (Path("database") / name).write_bytes(content[1:] if backend == "leveldb" else content)
        store = open_read("database", backend)
        try:
            for _, value in store.items():
                datum.decode(value).image()
            len(store)
        finally:
            store.close()

    return read


def record(path: str) -> None:
    """A record of a database."""
    found = datum.decode(Path(path).read_bytes())
    found.image()


def annotations(kind: str) -> Callable[[str], object]:
    """Of one form."""
    return lambda path: annotation_files.read_annotations(path, kind, (8, 6), {"none": 0, "cat": 1, "dog": 2}).SerializeToString()


def list_file(path: str) -> None:
    """As each reader of lists takes it; the first error is the file's."""
    for read in (lambda: list_files.read_list(path, where="l"), lambda: list_files.read_pairs(path), lambda: list_files.read_videos(path)):
        attempt(read)
    attempt(lambda: list_files.read_lines(path, labelled=True))
    attempt(lambda: hdf5_data.read_names(path))
    attempt(lambda: detections.read_pictures(path))
    attempt(lambda: label_map.write_label_map(path, "map"))


def attempt(function: Callable[[], object]) -> None:
    """An error of the input is as good as none."""
    with suppress(CaffeError):
        function()


def log(path: str) -> None:
    """Every table of a log."""
    attempt(lambda: parse_log.write_tables(path, "."))
    attempt(lambda: log_tables.write_tables(path))
    attempt(lambda: write_seconds(path, "seconds"))
    training_log.read_training_log(path)


def cifar_files(path: str) -> None:
    """Five batches and the test's; records are not stored."""
    for _ in cifar._records(Path(path).read_bytes()):
        pass


def words_of(path: str) -> list[str]:
    """The words of a command line."""
    return Path(path).read_bytes().decode("utf-8", "surrogateescape").split(" ")


def command_line(path: str) -> None:
    """Read by gflags' rules and click's; the command itself does not run."""
    command_line_of([word for word in words_of(path) if "\0" not in word])


def command_line_of(words: list[str]) -> None:
    """The words as a program gets them."""
    with patch.object(click.Command, "invoke", lambda self, context: 0):
        dispatch("caffepy", words)


def whole_command(*words: str) -> Callable[[str], None]:
    """Run it; its own exit code and lines are its own concern."""

    def read(path: str) -> None:
        run("caffepy", [word.replace(FILE, path) for word in words])

    return read


class Prepared:
    """What several kinds read into: a net with parameters, a solver."""

    def __init__(self, folder: Path) -> None:
        message = caffe_pb2.NetParameter()
        parse(seeds.DATA[-1] + seeds.READER, message, file="net")
        self.graph = compile(message)
        self.arena = Arena(self.graph)
        self.solver = Solver.from_file(str(folder / "solver"), engine="layerwise")

    def weights(self, path: str) -> None:
        """A caffemodel of either format."""
        copy_trained_layers(self.graph, self.arena, path)

    def state(self, path: str) -> None:
        """A solverstate of either format."""
        self.solver.restore(path)


def kinds(folder: Path) -> list[Kind]:
    """All of them; ``folder`` has the sound files."""
    into = Prepared(folder)

    def files(*names: str) -> list[bytes]:
        return [(folder / name).read_bytes() for name in names]

    nets = [text.encode() for text in seeds.nets()]
    small = [text for text in nets if len(text) < 1500]
    old = [text.encode() for text in (seeds.V1, seeds.V0)]
    state = sorted(str(path.relative_to(folder)) for path in folder.glob("s_iter_1.solverstate*"))
    leveldb = [bytes((i,)) + path.read_bytes() for i, path in enumerate(sorted((folder / "leveldb").iterdir()))]
    text = damage.words
    return [
        Kind("net text", 14, [*small, *old, *old], text, net_text, hungry=True),
        Kind("net bytes", 3, small, damage.data, net_text, hungry=True),
        Kind("solver text", 12, [s.encode() for s in samples.SOLVERS], text, solver_text, hungry=True),
        Kind("caffemodel", 10, files("w.caffemodel"), damage.data, into.weights),
        Kind("caffemodel.h5", 2, files("w.h5"), damage.data, into.weights),
        Kind("old caffemodel", 3, files("w.caffemodel"), damage.data, upgraded),
        Kind("solverstate", 3, files(state[0]), damage.data, into.state),
        Kind("solverstate.h5", 1.5, files(state[1]), damage.data, into.state),
        Kind("mean", 8, samples.blobs(folder), damage.data, mean_file.read_mean),
        Kind("lmdb", 2, files("db/data.mdb"), damage.data, records("lmdb", "db")),
        Kind("leveldb", 1, leveldb, damage.data, records("leveldb", "leveldb")),
        Kind("record", 10, samples.datums(), damage.data, record),
        Kind("image", 10, files("a.png", "b.jpg", "gray.png", "deep.png", "c.bmp", "c.tiff", "c.webp", "c.ppm"), damage.data, picture),
        Kind("list", 6, samples.LISTS, damage.lines, list_file),
        Kind("windows", 4, [samples.WINDOWS], damage.lines, lambda p: window_file.read_windows(p, "", foreground=0.5, background=0.5)),
        Kind("label map", 4, [samples.LABEL_MAP], text, label_map.read_label_map),
        Kind("xml", 4, [samples.XML], damage.lines, annotations("xml")),
        Kind("json", 4, [samples.JSON], damage.lines, annotations("json")),
        Kind("boxes", 3, [samples.BOXES], damage.lines, annotations("txt")),
        Kind("hdf5 data", 2, files("data.h5"), damage.data, lambda p: hdf5_data.read_file(p, ["data", "label"])),
        Kind("mnist", 4, files("idx3"), damage.data, lambda p: mnist.read_idx(p, "idx1")),
        Kind("mnist labels", 2, files("idx1"), damage.data, lambda p: mnist.read_idx("idx3", p)),
        Kind("cifar", 0.3, [bytes(range(256)) * 40], damage.data, cifar_files),
        Kind("log", 3, files("log"), damage.lines, log),
        Kind("machines", 4, samples.MACHINES, damage.lines, machine_file.read_machines),
        Kind("cluster", 3, samples.SPECS, damage.data, lambda p: cluster_spec.parse_cluster(Path(p).read_bytes().decode("latin-1"))),
        Kind("command line", 4, [line.encode() for line in samples.COMMANDS], damage.lines, command_line),
        Kind("raw labels", 1, [b"1 2 3\n0 4\n"], damage.lines, parallel_data._read_labels),
        Kind("flagfile", 2, [samples.FLAGFILE], damage.lines, lambda p: command_line_of(["train", f"--flagfile={p}"])),
        Kind("drawing", 1, small, text, whole_command("draw_net", FILE, "net.svg"), hungry=True),
        Kind("table", 1, small, text, whole_command("summarize", FILE), hungry=True),
        Kind("upgrade", 1, [*small, *old, *old], text, whole_command("upgrade_net_proto_text", FILE, "upgraded"), hungry=True),
        Kind(
            "export", 0.5, small, text, whole_command("export", FILE, "-safetensors", "out", "-onnx", "net.onnx", "-nocheck"), hungry=True
        ),
        Kind("net run", 4, nets, text, whole_command("time", "-model", FILE, "-iterations", "1"), hungry=True),
    ]


def picture(path: str) -> Any:
    """In colour and gray, and of another size."""
    image_file.decode(Path(path).read_bytes(), None)
    return image_file.read(path, True, height=5, width=5)
