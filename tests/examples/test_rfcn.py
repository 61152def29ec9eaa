"""R-FCN: the example itself. Its layers in Python are Faster R-CNN's, with tests there."""

from __future__ import annotations

import pytest

from tests.examples.conftest import RunExample
from tests.examples.test_faster_rcnn import check_training


def test_short_form(run_example: RunExample) -> None:
    result, folder = run_example("rfcn")
    assert [figure["name"] for figure in result["figures"]] == ["mAP"]
    check_training(folder, "rfcn")


@pytest.mark.whole
def test_figure(run_example: RunExample) -> None:
    result, _ = run_example("rfcn", short=False)
    assert all(figure["reached"] for figure in result["figures"])
