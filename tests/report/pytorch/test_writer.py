"""How a written file looks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.report.nets import inputs
from tests.report.pytorch.files import Exported, assert_same, exported
from tools.bench.nets import NETS, net_text

STRAIGHT = (
    "name: 'tiny' "
    + inputs(data=(1, 3, 8, 8))
    + """
layer { name: 'conv1/3x3' type: 'Convolution' bottom: 'data' top: 'c' convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: 'relu' type: 'ReLU' bottom: 'c' top: 'c' }
layer { name: 'pool' type: 'Pooling' bottom: 'c' top: 'p' pooling_param { kernel_size: 2 stride: 2 } }
layer { name: 'drop' type: 'Dropout' bottom: 'p' top: 'p' }
layer { name: 'ip' type: 'InnerProduct' bottom: 'p' top: 'ip' inner_product_param { num_output: 5 } }
layer { name: 'prob' type: 'Softmax' bottom: 'ip' top: 'prob' }
"""
)
FORWARD = """\
    def forward(self, data):
        x = F.relu(self.conv1_3x3(data))
        x = F.dropout(F.max_pool2d(x, 2, ceil_mode=True), 0.5, self.training)  # pool
        x = self.ip(torch.flatten(x, 1))
        return torch.softmax(x, 1)
"""


def lines(made: Exported) -> int:
    return made.text.count("\n")


def test_straight_net() -> None:
    made, _ = exported(STRAIGHT)
    assert made.name == "Tiny"
    assert "        self.conv1_3x3 = nn.Conv2d(3, 4, 3)  # conv1/3x3\n        self.ip = nn.Linear(36, 5)\n" in made.text
    assert "import caffe" not in made.text
    assert made.text.startswith('"""Tiny, the net of net.prototxt.\n')


@pytest.mark.parametrize(("net", "train"), [("googlenet", False), ("googlenet", True), ("resnet50", False), ("resnet50", True)])
def test_large_nets_are_short_and_in_order(net: str, train: bool, tmp_path: Path) -> None:
    made, _ = exported(net_text(net, 2, divide=8), {"data": (2, *NETS[net].shape), "label": (2,)}, train=train)
    assert lines(made) < 150
    assert max(map(len, made.text.splitlines())) <= 120
    file = tmp_path / "net.py"
    file.write_text(made.text)
    checked = subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", str(file)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_shared_parameters_stay_shared() -> None:
    """All of a layer's: one module that is called twice. Some: tied."""
    product = "inner_product_param { num_output: 3 weight_filler { type: 'gaussian' } bias_filler { type: 'gaussian' } }"
    layers = f"""
layer {{ name: 'a' type: 'InnerProduct' bottom: 'x' top: 'a' param {{ name: 'w' }} param {{ name: 'b' }} {product} }}
layer {{ name: 'a_p' type: 'InnerProduct' bottom: 'y' top: 'a_p' param {{ name: 'w' }} param {{ name: 'b' }} {product} }}
layer {{ name: 'c' type: 'InnerProduct' bottom: 'y' top: 'c' param {{ name: 'w' }} {product} }}
layer {{ name: 's' type: 'Eltwise' bottom: 'a' bottom: 'a_p' bottom: 'c' top: 's' }}
"""
    text = inputs(x=(2, 3), y=(2, 3), t=(2, 3)) + layers
    made, _ = exported(text)
    assert "a_p = self.a(y)" in made.text
    assert "        self.c.weight = self.a.weight  # shared\n" in made.text
    assert_same(text + "layer { name: 'l' type: 'EuclideanLoss' bottom: 's' bottom: 't' top: 'l' }", train=True)


def test_propagate_down() -> None:
    text = inputs(x=(2, 3), t=(2, 3)) + "".join(
        f"layer {{ name: '{name}' type: 'InnerProduct' bottom: '{bottom}' top: '{name}' {down}"
        " inner_product_param { num_output: 3 weight_filler { type: 'gaussian' } } }"
        for name, bottom, down in (("a", "x", ""), ("b", "a", "propagate_down: false"))
    )
    text += "layer { name: 'l' type: 'EuclideanLoss' bottom: 'b' bottom: 't' top: 'l' }"
    made, _ = exported(text, train=True)
    assert "return self.b(a.detach())" in made.text.replace("x.detach()", "a.detach()")
    assert_same(text, train=True)
