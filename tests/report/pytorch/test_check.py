"""A written file in a process of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from caffepy.engine.weights import tensors_of
from caffepy.errors import NetError
from caffepy.report.pytorch.check import differences, told
from tests.report.nets import inputs
from tests.report.pytorch.files import exported

NET = inputs(data=(2, 3), label=(2,)) + "".join(
    (
        "layer { name: 'ip' type: 'InnerProduct' bottom: 'data' top: 'ip'",
        " inner_product_param { num_output: 4 weight_filler { type: 'xavier' } } }",
        "layer { name: 'drop' type: 'Dropout' bottom: 'ip' top: 'drop' }",
        "layer { name: 'loss' type: 'SoftmaxWithLoss' bottom: 'drop' bottom: 'label' top: 'loss' }",
    )
)


def test_trains_as_the_net_does() -> None:
    made, arena = exported(NET, train=True)
    lines = told(differences(made, tensors_of(arena)))
    assert [line.partition(" ")[0] for line in lines] == ["drop", "loss:", "gradient"]


def test_a_file_that_computes_something_else() -> None:
    made, arena = exported(NET)
    other = replace(made, text=made.text.replace("return F.dropout", "return 1.001 * F.dropout"))
    with pytest.raises(NetError, match=r"the written file gives another 'drop', by 0.001 of its scale; needed: within 1e-05"):
        differences(other, tensors_of(arena))


def test_a_file_that_does_not_run() -> None:
    made, arena = exported(NET)
    with pytest.raises(NetError, match="the written file does not run: ZeroDivisionError"):
        differences(replace(made, text=made.text + "1 / 0\n"), tensors_of(arena))
