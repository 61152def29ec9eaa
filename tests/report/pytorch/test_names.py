"""Names of prototxts as identifiers, comments and docstrings."""

from __future__ import annotations

import ast
import keyword

import pytest
from torch import nn

from caffepy.report.pytorch.names import camel, identifier, quoted, shown, string, unused
from tests.report.nets import inputs
from tests.report.pytorch.files import exported
from tools.campaign.pytorch import module_of

NASTY = [
    "class",
    "forward",
    "parameters",
    "F",
    "print",
    "",
    "7x7",
    "\N{GREEK SMALL LETTER LAMDA}",
    'a"""; raise SystemExit(1)',
    "b\\nraise SystemExit(1)",
    "c'\\\\",
    "d\\u2028raise SystemExit(1)",
    "e\\x00",
    "{0}{m}",
    "x" * 300,
]


@pytest.mark.parametrize("name", NASTY)
def test_identifier(name: str) -> None:
    found = unused(identifier(name), set())
    assert found.isidentifier()
    assert not keyword.iskeyword(found)
    assert not hasattr(nn.Module, found)
    assert unused(found, {found}) != found


@pytest.mark.parametrize("name", [*NASTY, "line\nbreak", "tab\t", "\u2028", "\r", "\U0001f600", "\N{RIGHT-TO-LEFT OVERRIDE}", "\ud800"])
def test_comment_and_docstring(name: str) -> None:
    assert len(f"x = 1  # {shown(name)}".splitlines()) == 1
    tree = ast.parse(f'"""{quoted(name)}"""')
    assert len(tree.body) == 1
    assert ast.literal_eval(string(name)) == name


def test_class_name() -> None:
    assert camel("ResNet-50", "Net") == "ResNet50"
    assert camel("my net", "Net") == "MyNet"
    assert camel("18_layers", "Net") == "Net18Layers"
    assert camel("", "Net") == "Net"


def test_no_name_runs() -> None:
    """Layers, blobs and net with such names give a file that is right, and runs none of them."""
    layers, bottom = "", "x"
    for i, name in enumerate(NASTY):
        top = f"{name} {i}"
        layers += f"layer {{ name: '{_escaped(name)}{i}' type: 'InnerProduct' bottom: '{_escaped(bottom)}' top: '{_escaped(top)}' "
        layers += "inner_product_param { num_output: 2 } }\n"
        layers += f"layer {{ name: '{_escaped(name)}s{i}' type: 'Softmax' bottom: '{_escaped(top)}' top: '{_escaped(top)}y' }}\n"
        bottom = f"{top}y"
    made, _ = exported(f"name: '{_escaped(NASTY[8])}' " + inputs(x=(1, 3)) + layers)
    assert module_of(made) is not None
    assert "raise SystemExit" not in ast.unparse(_without_docstrings(ast.parse(made.text)))


def _escaped(name: str) -> str:
    return name.replace("'", "\\'")


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree
