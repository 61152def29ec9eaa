"""What a net's data layers did to the pixels when it was trained.

A deploy net does not tell it. The caffemodel often does, since Caffe stores the net in it, and so
does the train_val net beside either file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import escape, glob

from caffepy.errors import CaffeError
from caffepy.proto import caffe_pb2
from caffepy.proto.text import read_text
from caffepy.proto.weights import net_of

AnyLayer = caffe_pb2.LayerParameter | caffe_pb2.V1LayerParameter
EARLIER = ("data_param", "image_data_param", "window_data_param")
"""Messages with the scale and mean of a data layer before there was transform_param."""
MOST_FILES = 50
MOST_BYTES = 4 << 20
"""Of the prototxts beside a net so many are read, none larger than this."""
CLOSE = 0.02
"""1/255 and 1/256 are one scale."""


@dataclass(frozen=True)
class TrainingInput:
    """The input of a training: ``(pixel - mean) * scale``, pixels from 0 to 255.

    ``mean``: its values or its file, as the data layer names it; empty if it has none.
    ``where``: file and layer.
    """

    scale: float
    mean: str
    where: str

    def lacking(self, *, mean_given: bool, scales: Sequence[float]) -> list[str]:
        """What of it is not done to an input, in words.

        ``scales``: the factors of pixels that the input may have, by how its images are read.
        """
        found = []
        if self.mean and not mean_given:
            found.append(f"subtracts the mean {self.mean}")
        if not any(math.isclose(self.scale, scale, rel_tol=CLOSE) for scale in scales):
            found.append(f"scales by {self.scale:g}")
        return found


def warning(model: str, weights: str, *, mean_given: bool, scales: Sequence[float]) -> str:
    """What to warn of where a net is given another input than it was trained on; else empty."""
    trained = training_input(model, weights)
    if trained is None:
        return ""
    lacking = trained.lacking(mean_given=mean_given, scales=scales)
    if not lacking:
        return ""
    return f"the net was trained on another input: {trained.where} {' and '.join(lacking)}"


def training_input(model: str, weights: str) -> TrainingInput | None:
    """What the training of ``weights`` did to pixels; None if no file tells."""
    stored = net_of(weights)
    if stored is not None:
        for layer in layers_of(stored):
            if (told := input_of(layer, weights)) is not None:
                return told
    names = learned_names(model)
    for file in beside(model, weights):
        net = read_quietly(file)
        if net is None or not names <= {layer.name for layer in layers_of(net)}:
            continue
        for layer in layers_of(net):
            if (told := input_of(layer, file)) is not None:
                return told
    return None


def layers_of(net: caffe_pb2.NetParameter) -> list[AnyLayer]:
    """The layers of a net in the present format or that of 2014."""
    return [*net.layer, *net.layers]


def learned_names(model: str) -> set[str]:
    """The names of a net's convolutions and inner products, by which another is the same net."""
    net = read_quietly(model)
    if net is None:
        return set()
    fields = ("convolution_param", "inner_product_param")
    layers = layers_of(net)
    return {layer.name for layer in layers if any(layer.HasField(field) for field in fields)}


def input_of(layer: AnyLayer, file: str) -> TrainingInput | None:
    """What a data layer does to pixels; None if it is none, or tells nothing."""
    if not layer.top or layer.bottom:
        return None
    transform = layer.transform_param
    scale = transform.scale
    mean = transform.mean_file or ", ".join(f"{value:g}" for value in transform.mean_value)
    told = layer.HasField("transform_param")
    for field in EARLIER:
        if layer.HasField(field):
            earlier = getattr(layer, field)
            told = True
            scale = earlier.scale if earlier.HasField("scale") else scale
            mean = mean or earlier.mean_file
    return TrainingInput(scale, mean, f"{file}: layer '{layer.name}'") if told else None


def beside(model: str, weights: str) -> Iterator[str]:
    """The prototxts in the folders of a net and its weights, without the net itself."""
    folders = dict.fromkeys(os.path.dirname(os.path.abspath(file)) for file in (model, weights))
    files: list[str] = []
    for folder in folders:
        files += sorted(glob(os.path.join(escape(folder), "*.prototxt")))
    for file in filter(os.path.isfile, files[:MOST_FILES]):
        if not os.path.samefile(file, model) and os.path.getsize(file) <= MOST_BYTES:
            yield os.path.relpath(file) if file.startswith(os.getcwd() + os.sep) else file


def read_quietly(file: str) -> caffe_pb2.NetParameter | None:
    """A net as written; None for a solver, and for what is no net."""
    net = caffe_pb2.NetParameter()
    try:
        read_text(file, net)
    except (CaffeError, OSError):
        return None
    return net
