"""Upgrades nets and solvers of earlier formats to the present one, with Caffe's log lines.

Five steps, each only where needed: V0 layers to V1, transform settings out of the data params, V1
layers to ``layer``, ``input`` fields to an Input layer, and zero rates for the three ParamSpecs of
old BatchNorm layers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from caffepy import log
from caffepy.errors import PrototxtError
from caffepy.proto import caffe_pb2
from caffepy.proto.forks import fork_note, forks_of
from caffepy.proto.upgrade_v0 import upgrade_v0
from caffepy.proto.upgrade_v1 import VOLUMES, upgrade_v1

PLACE = "upgrade_proto.cpp"
DATA_PARAMS = {
    "DATA": "data_param",
    "IMAGE_DATA": "image_data_param",
    "WINDOW_DATA": "window_data_param",
}
TRANSFORMS = ("scale", "mean_file", "crop_size", "mirror")
SOLVER_TYPES = {
    "SGD": "SGD",
    "NESTEROV": "Nesterov",
    "ADAGRAD": "AdaGrad",
    "RMSPROP": "RMSProp",
    "ADADELTA": "AdaDelta",
    "ADAM": "Adam",
}


@dataclass(frozen=True)
class NetUpgrade:
    """An upgraded net, and what is known of its upgrade."""

    net: caffe_pb2.NetParameter
    origins: tuple[int | None, ...]
    """For each layer the index of the layer it was.

    None for the Input layer made of ``input`` fields.
    """
    complete: bool
    """False if a setting of the old net has no equivalent; the log names each."""


def upgrade_net(
    net: caffe_pb2.NetParameter, file: str, where: Callable[..., str] | None = None
) -> tuple[caffe_pb2.NetParameter, tuple[int | None, ...]]:
    """The net in the present format, and for each layer the index of the original one.

    None: a layer that the upgrade added.
    """
    upgraded = upgrade_net_fully(net, file, where)
    return upgraded.net, upgraded.origins


def net_needs_upgrade(net: caffe_pb2.NetParameter) -> bool:
    """Whether anything in the net is of an earlier format."""
    return bool(net.layers or net.input or _old_batch_norms(net))


def upgrade_net_fully(
    net: caffe_pb2.NetParameter, file: str, where: Callable[..., str] | None = None
) -> NetUpgrade:
    """As ``upgrade_net``, and whether all of the net could be kept.

    ``net`` itself is not changed. ``where("layers", 3)``: the position of a field of the net as
    written, for errors; without it they name the file.

    Raises PrototxtError for a net that mixes formats or cannot be understood.
    """
    try:
        return _upgraded(net, file, where or (lambda *path: file))
    except UnicodeDecodeError as error:
        raise PrototxtError(f"{file}: a name in it is not UTF-8: {error}") from error


def _upgraded(net: caffe_pb2.NetParameter, file: str, place: Callable[..., str]) -> NetUpgrade:
    complete = True
    origins: list[int | None] = list(range(max(len(net.layers), len(net.layer))))
    if any(layer.HasField("layer") for layer in net.layers):
        _note(
            28,
            f"Attempting to upgrade input file specified using deprecated V0LayerParameter: {file}",
        )
        v0 = upgrade_v0(net, place)
        net = v0.net
        origins = list(v0.origins)
        complete = v0.complete
        if complete:
            _note(36, "Successfully upgraded file specified using deprecated V0LayerParameter")
        else:
            problems = (
                "Warning: had one or more problems upgrading V0NetParameter to NetParameter"
                " (see above); continuing anyway."
            )
            log.error(f"{PLACE}:33", problems)
        log.warning(
            f"{PLACE}:39",
            "Note that future Caffe releases will not support V0NetParameter; use"
            " ./build/tools/upgrade_net_proto_text for prototxt "
            "and ./build/tools/upgrade_net_proto_binary for model weights upgrade this and"
            " any other net protos to the new format.",
        )
    if any(_old_transforms(layer) for layer in net.layers):
        _note(
            46,
            "Attempting to upgrade input file specified using deprecated transformation"
            f" parameters: {file}",
        )
        net = _with_transform_params(net)
        _note(
            49,
            "Successfully upgraded file specified using deprecated data transformation parameters.",
        )
        log.warning(
            f"{PLACE}:51",
            "Note that future Caffe releases will only support transform_param messages for"
            " transformation fields.",
        )
    if net.layers:
        _note(
            55,
            f"Attempting to upgrade input file specified using deprecated V1LayerParameter: {file}",
        )
        net, kept = upgrade_v1(net, place)
        if kept:
            _note(63, "Successfully upgraded file specified using deprecated V1LayerParameter")
        else:
            log.error(
                f"{PLACE}:60",
                "Warning: had one or more problems upgrading V1LayerParameter (see above);"
                " continuing anyway.",
            )
            complete = False
    if net.input:
        _note(
            69, f"Attempting to upgrade input file specified using deprecated input fields: {file}"
        )
        net, added = _with_input_layer(net, place)
        origins = [*[None] * added, *origins]
        _note(72, "Successfully upgraded file specified using deprecated input fields.")
        log.warning(
            f"{PLACE}:74",
            "Note that future Caffe releases will only support input layers and not input fields.",
        )
    if _old_batch_norms(net):
        _note(79, f"Attempting to upgrade batch norm layers using deprecated params: {file}")
        net = _with_still_batch_norms(net)
        _note(82, "Successfully upgraded batch norm layers using deprecated params.")
    return NetUpgrade(net, tuple(origins), complete)


def solver_needs_upgrade(solver: caffe_pb2.SolverParameter) -> bool:
    """Whether the solver's type is given the old way."""
    return solver.HasField("solver_type")


def upgrade_solver(solver: caffe_pb2.SolverParameter, file: str) -> None:
    """Turn ``solver_type: ADAM`` into ``type: "Adam"``, in place.

    Raises PrototxtError when both are given.
    """
    if not solver_needs_upgrade(solver):
        return
    _note(
        1084,
        "Attempting to upgrade input file specified using deprecated 'solver_type' field"
        f" (enum)': {file}",
    )
    if solver.HasField("type"):
        raise PrototxtError(
            f"{file}: Failed to upgrade solver: old solver_type field (enum) and new type"
            " field (string) "
            "cannot be both specified in solver proto text."
        )
    name = caffe_pb2.SolverParameter.SolverType.Name(solver.solver_type)
    if name not in SOLVER_TYPES:
        note = fork_note(forks_of(f"SolverParameter.SolverType.{name}"))
        known = ", ".join(SOLVER_TYPES)
        raise PrototxtError(f"{file}: solver_type {name}{note} is not one of {known}")
    solver.type = SOLVER_TYPES[name]
    solver.ClearField("solver_type")
    _note(
        1091,
        "Successfully upgraded file specified using deprecated 'solver_type' field (enum) to"
        " 'type' field (string).",
    )
    log.warning(
        f"{PLACE}:1093",
        "Note that future Caffe releases will only support 'type' field (string) for a"
        " solver's type.",
    )


def set_snapshot_prefix(solver: caffe_pb2.SolverParameter, file: str) -> None:
    """Set a missing ``snapshot_prefix`` to the solver file's path without its extension.

    If it is a folder, the solver file's name is added.
    """
    if not solver.HasField("snapshot_prefix"):
        solver.snapshot_prefix = os.path.splitext(file)[0]
        _note(1108, f"snapshot_prefix was not specified and is set to {solver.snapshot_prefix}")
    elif os.path.isdir(solver.snapshot_prefix):
        solver.snapshot_prefix = os.path.join(solver.snapshot_prefix, Path(file).stem)
        _note(1113, f"snapshot_prefix was a directory and is replaced to {solver.snapshot_prefix}")


def _note(line: int, message: str) -> None:
    log.info(f"{PLACE}:{line}", message)


def _old_transforms(layer: caffe_pb2.V1LayerParameter) -> list[str]:
    """The transform settings given in a V1 data layer's own param."""
    param = DATA_PARAMS.get(caffe_pb2.V1LayerParameter.LayerType.Name(layer.type))
    return [name for name in TRANSFORMS if getattr(layer, param).HasField(name)] if param else []


def _with_transform_params(net: caffe_pb2.NetParameter) -> caffe_pb2.NetParameter:
    new = _copy(net)
    for layer in new.layers:
        for name in _old_transforms(layer):
            param = getattr(
                layer, DATA_PARAMS[caffe_pb2.V1LayerParameter.LayerType.Name(layer.type)]
            )
            setattr(layer.transform_param, name, getattr(param, name))
            param.ClearField(name)
    return new


def _with_input_layer(
    net: caffe_pb2.NetParameter, place: Callable[..., str]
) -> tuple[caffe_pb2.NetParameter, int]:
    """The net with an Input layer ``input`` first, and how many layers were added.

    That is 0 if no shapes are given.
    """
    volumes = any(layer.type in VOLUMES for layer in net.layer)
    axes = 5 if volumes and len(net.input_dim) == 5 * len(net.input) else 4
    shapes = [list(shape.dim) for shape in net.input_shape]
    shapes = shapes or [
        list(net.input_dim[i : i + axes]) for i in range(0, len(net.input_dim), axes)
    ]
    if shapes and (
        len(shapes) < len(net.input)
        or (not net.input_shape and len(shapes[len(net.input) - 1]) != axes)
    ):
        given = (
            f"{len(net.input_shape)} input_shape"
            if net.input_shape
            else f"{len(net.input_dim)} input_dim"
        )
        needed = (
            f"one input_shape, or four input_dim{' (C3D: five)' if volumes else ''}, for each input"
        )
        raise PrototxtError(
            f"{place('input', 0)}: {len(net.input)} input field(s) but {given}; needed: {needed}"
        )
    layer = caffe_pb2.LayerParameter(name="input", type="Input", top=net.input)
    for shape, _ in zip(shapes, net.input, strict=False):
        layer.input_param.shape.add(dim=shape)
    new = _copy(net)
    for name in ("input", "input_shape", "input_dim", "layer"):
        new.ClearField(name)
    new.layer.extend([*([layer] if shapes else []), *net.layer])
    return new, 1 if shapes else 0


def _old_batch_norms(net: caffe_pb2.NetParameter) -> list[int]:
    """Indices of BatchNorm layers with three ParamSpecs, as the first such layer wanted them."""
    return [
        i
        for i, layer in enumerate(net.layer)
        if layer.type == "BatchNorm" and len(layer.param) == 3
    ]


def _with_still_batch_norms(net: caffe_pb2.NetParameter) -> caffe_pb2.NetParameter:
    new = _copy(net)
    for index in _old_batch_norms(net):
        for param in new.layer[index].param:
            param.lr_mult = param.decay_mult = 0.0
    return new


def _copy(net: caffe_pb2.NetParameter) -> caffe_pb2.NetParameter:
    new = caffe_pb2.NetParameter()
    new.CopyFrom(net)
    return new
