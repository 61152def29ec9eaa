"""Functions of tensors as graphs of torch's operators, in which oneDNN computes what it can.

A call of oneDNN by torch describes the operator anew each time, which takes as long as a small
convolution. In a graph (TorchScript's, with oneDNN's own graphs in it) it is compiled once.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor

Tensors: TypeAlias = tuple[Tensor, ...]
Call: TypeAlias = Callable[..., Tensors]

PASSES = 3
"""In the first of a graph torch notes shapes, in the second it compiles."""
CLOSE = 1e-5
"""By as much of the largest number results may differ, as sums are rounded in another order."""


def operator_graph(function: Call, inputs: Sequence[Tensor]) -> Call | None:
    """``function`` as a graph, for inputs of these shapes, if its results for ``inputs`` agree.

    None if they do not, or if torch lacks what it takes. ``function`` must compute by the same
    operators whatever the values, and leave its inputs as they are.
    """
    if not torch.backends.mkldnn.is_available():
        return None
    with torch.no_grad():
        expected = function(*inputs)
        given = [x.clone() for x in inputs]
        try:
            call = _compiled(function, given)
            found = call(*given)
        except (AttributeError, RuntimeError, TypeError):
            return None  # these functions are torch's own, and may change
        same = all(torch.equal(x, y) for x, y in zip(given, inputs, strict=True))
        agree = all(_is_close(x, y) for x, y in zip(found, expected, strict=True))
    return call if same and agree else None


def _compiled(function: Call, inputs: Sequence[Tensor]) -> Call:
    # torch.jit.trace would keep the graph, and so the parameters in it, for good.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shapes, which stay
        graph = torch._C._create_graph_by_tracing(function, tuple(inputs), _no_name, True, False)[0]
    if any(node.kind() == "prim::PythonOp" for node in graph.nodes()):
        raise RuntimeError("a function of autograd has no operators")
    call: Call = torch._C._create_function_from_graph("one_pass", graph)
    before = torch._C._jit_llga_enabled()
    torch._C._jit_set_llga_enabled(True)
    try:
        for _ in range(PASSES):
            call(*inputs)
    finally:
        torch._C._jit_set_llga_enabled(before)
    return call


def _no_name(value: Tensor) -> str:
    """The name of a variable in the graph, where torch wants one."""
    return ""


def _is_close(found: Tensor, expected: Tensor) -> bool:
    if found.shape != expected.shape or not found.numel():
        return found.shape == expected.shape
    off = float((found - expected).abs().max())
    return off <= CLOSE * float(expected.abs().max()) and math.isfinite(off)
