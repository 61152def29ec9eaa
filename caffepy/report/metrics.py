"""Writers of a training's numbers, beside its log: JSON lines for scripts, TensorBoard's files.

Each is told the iteration, the net that the numbers are of (``train``, ``test``, ``test1``...), and
the numbers by name.
"""

from __future__ import annotations

import json
import math
import os
import platform
import struct
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO

from caffepy import log
from caffepy.errors import DataError
from caffepy.proto.printer import float_text
from caffepy.proto.wire import Chunks, varint

PLACE = "metrics.cpp:0"


def by_name(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Numbers by name.

    Further ones of the same name (the elements of an output) are ``name[1]``, ``name[2]``...
    """
    numbers: dict[str, float] = {}
    counts: dict[str, int] = {}
    for name, value in pairs:
        place = counts[name] = counts.get(name, -1) + 1
        numbers[f"{name}[{place}]" if place else name] = value
    return numbers


class MetricsWriter(ABC):
    """Adds records to a file.

    A disk that fills up ends the writing, with a line in the log, but not the training.
    """

    def __init__(self, path: str) -> None:
        """DataError if the file cannot be opened.

        What it has already stays: a resumed training goes on in it.
        """
        self.path = path
        try:
            # no buffer: each record is there when it is written, and none waits for a full disk
            self._file: FileIO | None = FileIO(path, "ab")
        except OSError as error:
            raise DataError(f"{path}: cannot write it: {error.strerror}") from None

    def write(self, iteration: int, net: str, values: Sequence[tuple[str, float]]) -> None:
        """Add the numbers of one moment, each with its name."""
        self._append(self.record(iteration, net, by_name(values)))

    @abstractmethod
    def record(self, iteration: int, net: str, values: Mapping[str, float]) -> bytes:
        """These numbers as the file holds them."""

    def _append(self, content: bytes) -> None:
        if self._file is None:
            return
        start = os.fstat(self._file.fileno()).st_size
        try:
            while content:
                content = content[self._file.write(content) :]
        except OSError as error:
            # no half record, to which a resumed training would add; a device cannot be cut
            with suppress(OSError):
                self._file.truncate(start)
            log.error(PLACE, f"{self.path}: {error.strerror}; no more numbers are written to it")
            self.close()

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._file is not None:
            self._file.close()
            self._file = None


class JsonLines(MetricsWriter):
    """An object a line; null for what is no finite number.

    {"iteration": 100, "net": "train", "time": 1732752000.1, "loss": 1.2}
    """

    def __init__(self, path: str) -> None:
        """DataError also where ``path`` is another kind of file.

        A solver, perhaps, which one more line would spoil.
        """
        start = b'{"'
        if os.path.isfile(path) and os.path.getsize(path):
            with suppress(OSError), open(path, "rb") as file:
                if file.read(len(start)) != start:
                    what = "is no file of such numbers, and they would be added to it"
                    raise DataError(f"{path} {what}; needed: a new file, or one of these")
        super().__init__(path)

    def record(self, iteration: int, net: str, values: Mapping[str, float]) -> bytes:
        now = round(time.time(), 3)
        line: dict[str, object] = {"iteration": iteration, "net": net, "time": now}
        for name, value in values.items():
            line[name] = float(float_text(value)) if math.isfinite(value) else None
        return json.dumps(line).encode() + b"\n"


class NetOutputs(MetricsWriter):
    """Comma-separated values of the training net, as PMLS-Caffe writes them.

    Iteration, seconds since the start, loss, outputs. The loss is the mean over the ranks, and
    smoothed; the outputs are rank 0's.
    """

    OTHERS = ("smoothed_loss", "lr", "images_per_s", "sent_bytes", "hidden_s", "waited_s")

    def __init__(self, prefix: str) -> None:
        """DataError if ``prefix``.netoutputs cannot be opened."""
        super().__init__(f"{prefix}.netoutputs")
        self._started = time.time()
        self._has_head = os.path.getsize(self.path) > 0

    def record(self, iteration: int, net: str, values: Mapping[str, float]) -> bytes:
        outputs = {name: value for name, value in values.items() if name not in self.OTHERS}
        if net != "train" or "lr" not in values:
            return b""
        head = "" if self._has_head else ",".join(["Iteration", "time", "loss", *outputs]) + "\n"
        self._has_head = True
        seconds = f"{time.time() - self._started:.3f}"
        numbers = map(float_text, (values["smoothed_loss"], *outputs.values()))
        return (head + ",".join([str(iteration), seconds, *numbers]) + "\n").encode()


class TensorBoard(MetricsWriter):
    """An event file in a folder, as TensorBoard reads it.

    Tags are ``train/loss``, ``test/accuracy``. The file is written here and not by
    ``torch.utils.tensorboard``: that needs the package tensorboard, which brings a dozen others and
    a web server to where trainings run. It writes from a thread of its own, so that a crash or a
    full disk loses the last numbers. The format is a record of some bytes, and a test reads it by
    TensorBoard's own reader where that is installed.
    """

    def __init__(self, folder: str) -> None:
        """DataError if the folder or the file cannot be made.

        A resumed training has a file of its own beside the first.
        """
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise DataError(f"{folder}: cannot make this folder: {error.strerror}") from None
        name = f"events.out.tfevents.{int(time.time())}.{platform.node()}.{os.getpid()}"
        super().__init__(os.path.join(folder, name))
        self._append(framed(event(version="brain.Event:2")))

    def record(self, iteration: int, net: str, values: Mapping[str, float]) -> bytes:
        scalars = {f"{net}/{name}": value for name, value in values.items()}
        return framed(event(step=iteration, scalars=scalars))


@contextmanager
def writers(
    json_lines: str,
    tensorboard: str,
    net_outputs: str = "",
) -> Iterator[list[MetricsWriter]]:
    """The writers for a file, a folder and a prefix, where these are named; closed at the end."""
    with ExitStack() as stack:
        opened: list[MetricsWriter] = []
        kinds = ((JsonLines, json_lines), (TensorBoard, tensorboard), (NetOutputs, net_outputs))
        for make, path in kinds:
            if path:
                opened.append(make(path))
                stack.callback(opened[-1].close)
        yield opened


def event(*, step: int = 0, version: str = "", scalars: Mapping[str, float] | None = None) -> bytes:
    """An Event message: the time, and the version of the format or a step with scalars."""
    message = Chunks()
    message.add(varint(1 << 3 | 1) + struct.pack("<d", time.time()))
    if version:
        message.add_bytes(3, version.encode())
    if scalars is not None:
        message.add_varint(2, step)
        summary = Chunks()
        for tag, value in scalars.items():
            scalar = Chunks()
            scalar.add_bytes(1, tag.encode())
            scalar.add(varint(2 << 3 | 5) + struct.pack("<f", value))
            summary.add_message(1, scalar)
        message.add_message(5, summary)
    return b"".join(message.pieces)


def framed(content: bytes) -> bytes:
    """A record of TensorFlow's files: length, its checksum, content, its checksum."""
    length = struct.pack("<Q", len(content))
    return length + checksum(length) + content + checksum(content)


def checksum(content: bytes) -> bytes:
    """As these files hold it."""
    return struct.pack("<I", masked(crc32c(content)))


def masked(crc: int) -> int:
    """A checksum as these files hold it.

    It is rotated, so that a checksum of data with checksums in it is none of those.
    """
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def crc32c(content: bytes) -> int:
    """Castagnoli's cyclic redundancy check."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _table() -> list[int]:
    rows = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        rows.append(value)
    return rows


TABLE = _table()
