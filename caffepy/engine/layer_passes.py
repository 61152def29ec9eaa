"""The passes of one node of the layerwise engine, if the node runs backward.

The forward pass records autograd's graph. The backward pass starts from the diffs of the tops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from caffepy.engine.layer_step import LayerStep
from caffepy.layers.core.random import CaffeRandom
from caffepy.layers.core.state import copied_state


@dataclass
class Pass:
    """What one forward of a node leaves for its backward."""

    bottoms: list[Tensor]
    blobs: list[Tensor]
    tops: Sequence[Tensor]


def learn(step: LayerStep) -> Pass:
    """A forward pass that a backward pass may follow."""
    # `.data` and not detach(): a script may write to blobs later, and autograd would then report
    # that saved tensors have changed.
    bottoms = [
        (blob.kept() if overwritten else blob.data.data).requires_grad_(down)
        for blob, (down, overwritten) in zip(step.bottoms, step.wanted)
    ]
    blobs = [
        blob.data.data.requires_grad_(wanted)
        for blob, wanted in zip(step.params, step.node.param_gradients)
    ]
    with torch.enable_grad():
        return Pass(bottoms, blobs, step.forward(bottoms, blobs, step.run))


def pass_on_present_values(step: LayerStep) -> Pass:
    """What a forward pass on the present values would leave for a backward pass.

    Scripts may run a backward pass without a forward pass before it.
    """
    bottoms = [
        blob.data.data.requires_grad_(down) for blob, (down, _) in zip(step.bottoms, step.wanted)
    ]
    wanted = step.node.param_gradients
    blobs = [
        blob.data.data.requires_grad_() if learned else blob.data.clone()
        for blob, learned in zip(step.params, wanted)
    ]
    random = CaffeRandom(0)
    random.restore(step.run.random.state())
    with torch.enable_grad():
        tops = step.node.layer.resume(
            bottoms, blobs, replace(step.run, random=random, state=copied_state(step.run.state))
        )
    return Pass(bottoms, blobs, tops)


def backward(step: LayerStep, done: Pass) -> None:
    """Compute the diffs of bottoms and parameters from those of the tops.

    The diffs of bottoms are overwritten; those of parameters are added to. LayerError if the layer
    cannot do so.
    """
    fail = step.node.layer.fail
    if step.refusal:
        raise fail(step.refusal)
    seen = (*zip(step.tops, done.tops), *zip(step.bottoms, done.bottoms))
    if any(tensor.shape != blob.shape for blob, tensor in seen):
        raise fail(
            "a blob of it was reshaped since the last forward pass;"
            " needed: a forward pass before this backward pass"
        )
    tops = [(top, blob.diff) for top, blob in zip(done.tops, step.tops) if top.requires_grad]
    inputs = [t for t in (*done.bottoms, *done.blobs) if t.requires_grad]
    if not inputs:
        return
    gradients: dict[int, Tensor | None] = {}
    if tops:
        grads = torch.autograd.grad(
            [t for t, _ in tops], inputs, [d for _, d in tops], allow_unused=True, retain_graph=True
        )
        gradients = {id(t): g for t, g in zip(inputs, grads)}
    # Parameters come first: their gradient may share memory with the top's diff, which is the
    # bottom's diff in place.
    for slot, (blob, tensor) in enumerate(zip(step.params, done.blobs)):
        grad = gradients.get(id(tensor))
        if tensor.requires_grad and grad is not None:
            diff = blob.diff
            if slot in step.node.layer.quirks.overwritten_diffs:
                diff.zero_()
            diff += grad.view(diff.shape)
    for blob, tensor in zip(step.bottoms, done.bottoms):
        if tensor.requires_grad:
            grad = gradients.get(id(tensor))
            blob.diff.zero_() if grad is None else blob.diff.copy_(grad)
