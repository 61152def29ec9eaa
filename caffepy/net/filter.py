"""The layers of a NetParameter that a NetState keeps, by phase, level and stage rules."""

from __future__ import annotations

from collections.abc import Callable

from caffepy import log
from caffepy.errors import LayerError
from caffepy.net.layer_errors import layer_errors
from caffepy.proto import caffe_pb2

Where = Callable[..., str]
"""``where(i, "bottom", 0)``: the position of layer i, or of a field in it, in the prototxt."""


def broken_rule(state: caffe_pb2.NetState, rule: caffe_pb2.NetStateRule) -> str | None:
    """Why ``state`` does not meet ``rule``, in the words of Caffe's log; None if it does."""
    if rule.HasField("phase") and rule.phase != state.phase:
        return (
            f"The NetState phase ({state.phase}) differed from the phase ({rule.phase})"
            " specified by a rule in layer "
        )
    if rule.HasField("min_level") and state.level < rule.min_level:
        return (
            f"The NetState level ({state.level}) is above the min_level ({rule.min_level})"
            " specified by a rule in layer "
        )
    if rule.HasField("max_level") and state.level > rule.max_level:
        return (
            f"The NetState level ({state.level}) is above the max_level ({rule.max_level})"
            " specified by a rule in layer "
        )
    for stage in rule.stage:
        if stage not in state.stage:
            return f"The NetState did not contain stage '{stage}' specified by a rule in layer "
    for stage in rule.not_stage:
        if stage in state.stage:
            return f"The NetState contained a not_stage '{stage}' specified by a rule in layer "
    return None


def meets(state: caffe_pb2.NetState, rule: caffe_pb2.NetStateRule, layer: str) -> bool:
    """Whether ``state`` meets ``rule``; if not, the reason is logged as in Caffe."""
    reason = broken_rule(state, rule)
    if reason:
        log.info("net.cpp:296", reason + layer)
    return reason is None


def filter_net(
    net: caffe_pb2.NetParameter, where: Where
) -> tuple[caffe_pb2.NetParameter, list[int]]:
    """A copy of ``net`` with the layers that its ``state`` keeps, and their indices in ``net``."""
    kept = []
    for index, layer in enumerate(net.layer):
        if layer.include and layer.exclude:
            with layer_errors(
                layer.name, layer.type, lambda *path, index=index: where(index, *path)
            ):
                raise LayerError(
                    f"{len(layer.include)} include and {len(layer.exclude)} exclude rules;"
                    " needed: include rules or exclude rules, not both"
                )
        if layer.include:
            keep = any(meets(net.state, rule, layer.name) for rule in layer.include)
        else:
            keep = not any(meets(net.state, rule, layer.name) for rule in layer.exclude)
        if keep:
            kept.append(index)
    if net.layer and not kept:
        log.warning(
            "net.cpp:296",
            "The net is empty: the rules of all its layers keep them out of this phase, level"
            " and stage",
        )
    filtered = type(net)()
    filtered.CopyFrom(net)
    del filtered.layer[:]
    filtered.layer.extend(net.layer[index] for index in kept)
    return filtered, kept
