"""All parameters of a net in one flat buffer. Each parameter is a view of it."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import Tensor

from caffepy.engine.memory import check_parameters
from caffepy.errors import WeightsError
from caffepy.layers.core.base import count, shape_string
from caffepy.net.graph import Graph, Node

ALIGNMENT = 16
"""Each view starts at a multiple of this many floats (64 bytes), as torch's own tensors do."""


class Flat:
    """One float32 buffer with a view for each of a list of shapes.

    The gaps between aligned views are always zero.
    """

    def __init__(
        self,
        shapes: Sequence[tuple[int, ...]],
        *,
        device: torch.device,
        channels_last: Sequence[bool],
    ) -> None:
        self.shapes = list(shapes)
        self.device = device
        self.channels_last = list(channels_last)
        sizes = [count(shape) for shape in shapes]
        self.offsets: list[int] = [0] * len(sizes)
        total = 0
        # Gradients become final from the last layer to the first, so that is the order in memory.
        for i in reversed(range(len(sizes))):
            self.offsets[i] = total
            total += -(-sizes[i] // ALIGNMENT) * ALIGNMENT
        self.buffer = torch.zeros(total, dtype=torch.float32, device=device)
        self.views = [self._view(i, size) for i, size in enumerate(sizes)]
        self._other_types: dict[torch.dtype, Tensor] = {}

    def _view(self, i: int, size: int) -> Tensor:
        memory = self.buffer[self.offsets[i] : self.offsets[i] + size]
        shape = self.shapes[i]
        if not self.channels_last[i]:
            return memory.view(shape)
        n, c, h, w = shape
        return memory.view(n, h, w, c).permute(0, 3, 1, 2)

    def in_dtype(self, dtype: torch.dtype) -> Tensor:
        """A buffer for the same numbers in a 16-bit type; all callers get the same one.

        The caller fills it.
        """
        if dtype not in self._other_types:
            self._other_types[dtype] = torch.zeros_like(self.buffer, dtype=dtype)
        return self._other_types[dtype]

    def like(self) -> Flat:
        """A buffer of zeros with the same views, for gradients or history."""
        return Flat(self.shapes, device=self.device, channels_last=self.channels_last)


class Arena:
    """The parameters of a graph.

    ``flat``: the memory of the parameters that this graph owns.
    ``data[i]``: the tensor of Graph.params[i]. Shared parameters have the tensor of their owner.
    ``learnable``: the owners' tensors in Caffe's order. ``requires_grad`` is set for those that a
    layer learns, so that ``.grad`` is their gradient.
    ``overwritten``: indices in ``learnable`` of those whose gradients do not add up over passes.
    ``borrowed``: indices in Graph.params of those whose memory is in another arena, ``lender``.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        device: torch.device | None = None,
        channels_last: bool = False,
        share: Arena | None = None,
    ) -> None:
        """``share``: an arena whose tensors are used for layers of the same name.

        Caffe's test nets use those of the train net so.
        """
        self.graph = graph
        self.lender = share
        self.device = device or torch.device("cpu")
        check_parameters(graph, self.device)
        taken = _shared(graph, share) if share else {}
        self.borrowed = frozenset(taken)
        own = [i for i in graph.learnable if i not in taken]
        specs = [graph.params[i].shape for i in own]
        self.flat = Flat(
            specs,
            device=self.device,
            channels_last=[channels_last and len(shape) == 4 for shape in specs],
        )
        # The device "cuda" becomes "cuda:0" or so, to be equal to the device of tensors.
        self.device = self.flat.buffer.device
        tensors = dict(zip(own, self.flat.views)) | taken
        learns = _learned_owners(graph)
        for i in own:
            # `.data` and not detach(), which would leave all views one version counter: BatchNorm
            # writes its sums in the forward pass, and autograd would then refuse all parameters.
            tensors[i] = tensors[i].data.requires_grad_(i in learns)
        self.learnable = [tensors[i] for i in graph.learnable]
        overwritten, self._lost = _overwritten(graph)
        self.overwritten = [place for place, i in enumerate(graph.learnable) if i in overwritten]
        self.data = [tensors[p.owner] for p in graph.params]

    def copied(self) -> Arena:
        """A copy of the present parameters in host memory, which must only be read."""
        copied = copy.copy(self)
        copied.device = torch.device("cpu")
        owners = {i: self.data[i].detach().cpu().clone() for i in self.graph.learnable}
        copied.data = [owners[param.owner] for param in self.graph.params]
        return copied

    def learn_borrowed(self) -> None:
        """Have passes with gradients give the parameters of the net that lends them gradients here.

        The lender's gradients stay as they are.
        """
        for i in self.borrowed & _learned_owners(self.graph):
            self.data[i].requires_grad_()

    def blobs(self, node: Node) -> list[Tensor]:
        """The parameters of ``node`` in the shapes that it has for them.

        Gradients flow only into those that it learns, and not into views: see `reshaped`.
        """
        blobs = []
        for index, wanted in zip(node.params, node.param_gradients):
            tensor = self.data[index]
            shape = self.graph.params[index].shape
            if not (wanted and node.backward and tensor.shape == shape) or index in self._lost:
                tensor = tensor.detach()
            blobs.append(tensor if tensor.shape == shape else tensor.view(shape))
        return blobs

    def reshaped(self, node: Node) -> list[tuple[int, Tensor]]:
        """The `blobs` of ``node`` that are views and are learned: (index in blobs, owner's tensor).

        Every pass makes these views anew. Autograd ties the gradient of a view to the CUDA stream
        on which the view was made, and a recording must not use another stream.
        """
        views = []
        for place, (index, wanted) in enumerate(zip(node.params, node.param_gradients)):
            learned = wanted and node.backward and index not in self._lost
            tensor = self.data[index]
            if learned and tensor.shape != self.graph.params[index].shape:
                views.append((place, tensor))
        return views

    def gradients(self) -> list[Tensor | None]:
        """The gradient of each learnable parameter since `clear_gradients`, or None."""
        return [tensor.grad for tensor in self.learnable]

    def part_gradients(self) -> None:
        """Give each gradient memory of its own.

        Torch gives both terms of a sum the same gradient tensor. The next pass would add to both.
        """
        seen: set[int] = set()
        for tensor in self.learnable:
            if tensor.grad is not None:
                place = tensor.grad.untyped_storage().data_ptr()
                if place in seen:
                    tensor.grad = tensor.grad.clone()
                seen.add(place)

    def clear_gradients(self) -> None:
        """Drop the gradients, so that the next backward pass begins new ones."""
        for tensor in self.learnable:
            tensor.grad = None


def _learned_owners(graph: Graph) -> set[int]:
    """The owners of the parameters that a layer learns."""
    owners: set[int] = set()
    for node in graph.nodes:
        if node.backward:
            learned = [p for p, wanted in zip(node.params, node.param_gradients) if wanted]
            owners.update(graph.params[p].owner for p in learned)
    return owners


def _overwritten(graph: Graph) -> tuple[set[int], set[int]]:
    """Parameters whose diffs are overwritten, and parameters whose gradients are lost by that.

    Returns the owners of parameters whose diffs a backward pass overwrites, and the parameters that
    later layers share with them: the backward of a later layer comes first, and what it added is
    then overwritten.
    """
    owners: set[int] = set()
    by_own_backward: set[int] = set()
    lost: set[int] = set()
    for node in graph.nodes:
        lost |= {p for p in node.params if graph.params[p].owner in by_own_backward}
        overwritten = {
            graph.params[node.params[slot]].owner
            for slot in node.layer.quirks.overwritten_diffs
            if node.param_gradients[slot]
        }
        owners |= overwritten
        by_own_backward |= overwritten if node.backward and node.bottoms else set()
    return owners, lost


def _shared(graph: Graph, other: Arena) -> dict[int, Tensor]:
    sources = {node.name: node for node in other.graph.nodes}
    for node in graph.nodes:
        source = sources.get(node.name, node)
        if len(node.params) != len(source.params):
            counts = f"{len(source.params)} in the net that shares, {len(node.params)} in this one"
            raise WeightsError(
                f"Incompatible number of blobs for layer {node.name}: {counts}; needed: as many"
            )
    theirs = {(p.layer, p.slot): i for i, p in enumerate(other.graph.params)}
    taken = {}
    for i in graph.learnable:
        param = graph.params[i]
        match = theirs.get((param.layer, param.slot))
        if match is None:
            continue
        tensor = other.data[match].detach()
        shape = other.graph.params[match].shape
        if shape != param.shape:
            raise WeightsError(
                f"Cannot share param {param.slot} weights from layer '{param.layer}';"
                " shape mismatch."
                f" Source param shape is {shape_string(shape)};"
                f" target param shape is {shape_string(param.shape)}"
            )
        taken[i] = tensor if tensor.shape == shape else tensor.view(shape)
    return taken
