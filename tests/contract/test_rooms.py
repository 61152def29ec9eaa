"""What each room of the package is for, as far as the order of their imports (tools/dev/check) does not say it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

MACHINE = {"cuda", "device", "get_num_threads", "set_num_threads", "version"}
"""What a command asks torch: about the machine."""


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    """Every file of the package, by its path in there."""
    package = Path(__file__).parents[2] / "caffepy"
    files = [file for file in sorted(package.rglob("*.py")) if "shim" not in file.parts]
    return {file.relative_to(package).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def calls(tree: ast.AST, name: str) -> bool:
    """Whether something of this name is called in it."""
    return any(isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name for node in ast.walk(tree))


def imported(tree: ast.AST) -> Iterator[str]:
    """The packages of others that the statements of ``tree`` import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def at_once(tree: ast.Module) -> ast.Module:
    """What runs when the module is imported: no function, and nothing that is for the checker of types."""
    kept: list[ast.stmt] = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    return ast.Module([node for node in kept if not isinstance(node, ast.FunctionDef | ast.ClassDef)], [])


def test_a_net_is_opened_in_one_place(modules: dict[str, ast.Module]) -> None:
    places = {step: [path for path, tree in modules.items() if calls(tree, step)] for step in ("compile_net", "Arena", "initialise")}
    assert places == {
        "compile_net": ["cli/net_options.py", "engine/engines.py"],  # the first for commands that run no net
        "Arena": ["engine/engines.py", "engine/layerwise.py"],  # the second for a net that comes to share the parameters of another
        "initialise": ["engine/engines.py"],
    }


def test_engines_are_in_their_rooms(modules: dict[str, ast.Module]) -> None:
    classes = [(path, node) for path, tree in modules.items() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found = {
        path.split("/")[0] for path, node in classes if any("Engine" in ast.unparse(name) for name in (*node.bases, ast.Name(node.name)))
    }
    assert found == {"engine", "onnx"}


def test_engines_say_what_they_can(modules: dict[str, ast.Module]) -> None:
    """Nobody asks for their classes."""
    asked = [
        (path, ast.unparse(node))
        for path, tree in modules.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance" and "Engine" in ast.unparse(node.args[1]))
        or (isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type(") and "Engine" in ast.unparse(node.comparators[0]))
    ]
    assert asked == []


def test_commands_do_not_wait_for_torch(modules: dict[str, ast.Module]) -> None:
    slow = {path: {"torch", "numpy", "cv2", "onnx"}.intersection(imported(at_once(tree))) for path, tree in modules.items()}
    assert {path: found for path, found in slow.items() if path.startswith("cli/") and found} == {}


def test_commands_compute_nothing(modules: dict[str, ast.Module]) -> None:
    for path, tree in modules.items():
        if path.startswith("cli/"):
            assert "numpy" not in set(imported(tree)), path
            attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
            asked = {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == "torch"}
            assert asked <= MACHINE, path
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert "Tensor" not in names, path


def test_few_signatures_take_or_give_anything(modules: dict[str, ast.Module]) -> None:
    """Proto messages, tensors and handles have types: caffe_pb2.pyi has those of all messages."""
    signatures = [node for tree in modules.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    spots = [node.returns for node in signatures] + [
        argument.annotation for node in signatures for argument in ast.walk(node.args) if isinstance(argument, ast.arg)
    ]
    anything = sum(spot is not None and ast.unparse(spot) == "Any" for spot in spots)
    assert 0 < anything < 100
