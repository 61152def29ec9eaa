"""Parameter blobs of a net during compilation: owners, sharers and multipliers."""

from __future__ import annotations

from dataclasses import dataclass

from caffepy import log
from caffepy.layers.core.base import BlobSpec, Layer, count
from caffepy.net.graph import Param
from caffepy.proto import caffe_pb2

PERMISSIVE = 1


@dataclass
class _Entry:
    layer: str
    slot: int
    name: str
    spec: BlobSpec
    owner: int
    own_lr_mult: float
    lr_mult: float
    decay_mult: float
    has_lr: bool
    has_decay: bool

    def frozen(self, table: ParamTable) -> Param:
        owner = table.params[self.owner]
        return Param(
            self.layer, self.slot, self.name, self.spec, self.owner, owner.lr_mult, owner.decay_mult
        )


class ParamTable:
    """All parameter blobs so far.

    ``learnable``: indices of the owners, in order.
    """

    def __init__(self) -> None:
        self.params: list[_Entry] = []
        self.learnable: list[int] = []
        self._owners: dict[str, int] = {}

    def add(
        self, layer: Layer, param: caffe_pb2.LayerParameter, written: caffe_pb2.LayerParameter
    ) -> tuple[tuple[int, ...], bool]:
        """Register the blobs of ``layer``; returns their indices, and whether one of them learns.

        ``param`` is the layer's own LayerParameter (a layer may fix its multipliers there, as
        BatchNorm does). ``written`` is that of the net, whose lr_mult decides whether the layer
        needs a backward pass.
        """
        blobs = layer.blobs
        if len(written.param) > len(blobs):
            raise layer.fail(f"{len(written.param)} param specs for {len(blobs)} parameter blob(s)")
        indices = tuple(self._append(layer, param, slot, spec) for slot, spec in enumerate(blobs))
        learns = any(
            slot >= len(written.param) or written.param[slot].lr_mult != 0
            for slot in range(len(blobs))
        )
        return indices, learns

    def _append(
        self, layer: Layer, param: caffe_pb2.LayerParameter, slot: int, spec: BlobSpec
    ) -> int:
        index = len(self.params)
        given = param.param[slot] if slot < len(param.param) else None
        name = given.name if given is not None else ""
        lr = given.lr_mult if given is not None else 1.0
        decay = given.decay_mult if given is not None else 1.0
        has_lr = given is not None and given.HasField("lr_mult")
        has_decay = given is not None and given.HasField("decay_mult")
        owner = self._owners.get(name, index) if name else index
        self.params.append(
            _Entry(param.name, slot, name, spec, owner, lr, lr, decay, has_lr, has_decay)
        )
        if owner == index:
            self.learnable.append(index)
            if name:
                self._owners[name] = index
        else:
            permissive = given is not None and given.share_mode == PERMISSIVE
            self._share(layer, self.params[index], self.params[owner], permissive=permissive)
        return index

    def _share(self, layer: Layer, mine: _Entry, owner: _Entry, *, permissive: bool) -> None:
        log.info(
            "net.cpp:492",
            f"Sharing parameters '{mine.name}' owned by layer '{owner.layer}', param index"
            f" {owner.slot}",
        )
        same = (
            count(mine.spec.shape) == count(owner.spec.shape)
            if permissive
            else mine.spec.shape == owner.spec.shape
        )
        if not same:
            what = "as many elements (share_mode PERMISSIVE)" if permissive else "the same shape"
            raise layer.fail(
                f"parameter '{mine.name}' has shape {mine.spec.shape} but its owner, layer"
                f" '{owner.layer}',"
                f" has {owner.spec.shape}; needed: {what}"
            )
        for has, what in (("has_lr", "lr_mult"), ("has_decay", "decay_mult")):
            if not getattr(mine, has):
                continue
            if getattr(owner, has) and getattr(owner, what) != getattr(mine, what):
                raise layer.fail(
                    f"Shared param '{mine.name}' has mismatched {what}:"
                    f" {getattr(mine, what):g} here,"
                    f" {getattr(owner, what):g} in layer '{owner.layer}'"
                )
            setattr(owner, has, True)
            setattr(owner, what, getattr(mine, what))
