"""What the tests of reported faults share: a program's exit code and words, nets, databases, HDF5 files, weights."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path

import cv2
import h5py
import numpy as np
import numpy.typing as npt

from caffepy.cli.main import run
from caffepy.data.datum import Datum, decode, encode
from caffepy.data.stores import open_read, open_write
from caffepy.proto import caffe_pb2
from caffepy.proto.weights import read_net_weights

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Said:
    """How a program ended, and its log lines without prefix; ``letters``: their severities."""

    code: int
    lines: list[str]
    letters: str

    @property
    def refusal(self) -> str:
        """The last line of a program that failed."""
        assert self.code == 1
        return self.lines[-1]

    def values(self, name: str, *, batch: int | None = None) -> list[float]:
        """The numbers of an output, in the last lines of ``caffe test`` or in those of one batch."""
        start = f"{name} = " if batch is None else f"Batch {batch}, {name} = "
        return [float(line.removeprefix(start).split()[0]) for line in self.lines if line.startswith(start)]

    def after(self, words: str) -> list[str]:
        """What follows ``words`` in each line that has them."""
        return [line.split(words, 1)[1] for line in self.lines if words in line]


def caffe(*words: str) -> Said:
    """Run a command of ``caffepy``."""
    told = io.StringIO()
    with redirect_stderr(told):
        code = run("caffepy", list(words))
    lines = told.getvalue().splitlines()
    return Said(code, [line.split("] ", 1)[-1] for line in lines], "".join(line[:1] for line in lines))


def score_net(text: str, *, weights: str = "", iterations: int = 1) -> Said:
    """``caffe test`` of a net in this text."""
    Path("net.prototxt").write_text(text)
    if not weights:
        weights = "none.caffemodel"
        Path(weights).write_bytes(caffe_pb2.NetParameter(name="none").SerializeToString())
    return caffe("test", "-model", "net.prototxt", "-weights", weights, "-iterations", str(iterations))


def train(net: str, solver: str, *words: str, name: str = "solver") -> Said:
    """``caffe train`` of a net and a solver in these texts."""
    Path("net.prototxt").write_text(net)
    Path(f"{name}.prototxt").write_text(f'net: "net.prototxt" lr_policy: "fixed" solver_mode: CPU snapshot_prefix: "{name}" {solver}')
    return caffe("train", "-solver", f"{name}.prototxt", *words)


def learned(file: str) -> npt.NDArray[np.float32]:
    """All parameters in a caffemodel, one after the other."""
    return np.concatenate([np.ravel(blob) for layer in read_net_weights(file) for blob in layer.blobs])


def save_weights(file: str, layers: Mapping[str, Sequence[Array]], *, legacy: bool = False) -> None:
    """A caffemodel with these blobs; ``legacy``: of four axes, without ``shape``."""
    net = caffe_pb2.NetParameter()
    for name, blobs in layers.items():
        layer = net.layer.add(name=name, type="any")
        for blob in blobs:
            message = layer.blobs.add(data=np.ravel(blob).tolist())
            if legacy:
                message.num, message.channels, message.height, message.width = (1,) * (4 - blob.ndim) + blob.shape
            else:
                message.shape.dim.extend(blob.shape)
    Path(file).write_bytes(net.SerializeToString())


def save_image(file: str, image: Array) -> None:
    """An image file, made by OpenCV."""
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_bytes(cv2.imencode(Path(file).suffix, image)[1].tobytes())


def save_lmdb(path: str, images: Sequence[Array]) -> None:
    """An LMDB of images (C, H, W), labels 0, 1..."""
    with open_write(path, "lmdb") as store:
        for i, image in enumerate(images):
            store.put(b"%d" % i, encode(image.astype(np.uint8).tobytes(), shape=image.shape, label=i))


def records(path: str) -> dict[bytes, Datum]:
    """The Datums of an LMDB by key."""
    with open_read(path, "lmdb") as store:
        return {key: decode(bytes(value)) for key, value in store.items()}


def save_h5(list_file: str, *parts: Mapping[str, npt.ArrayLike]) -> None:
    """HDF5 files, and the list that names them."""
    names = [f"{list_file}.{i}.h5" for i in range(len(parts))]
    for name, datasets in zip(names, parts, strict=True):
        with h5py.File(name, "w") as file:
            for key, values in datasets.items():
                file[key] = np.asarray(values)
    Path(list_file).write_text("\n".join(names) + "\n")


def h5_layer(list_file: str, *tops: str, batch: int, more: str = "") -> str:
    """The text of an HDF5Data layer."""
    named = " ".join(f'top: "{top}"' for top in tops)
    return f'layer {{ name: "d" type: "HDF5Data" {named} hdf5_data_param {{ source: "{list_file}" batch_size: {batch} }} {more} }}\n'
