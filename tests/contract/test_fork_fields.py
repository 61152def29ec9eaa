"""docs/fork_fields.md says what the code does: each type and each field is tried as the page says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from caffepy import log
from caffepy.errors import CaffeError, LayerError
from caffepy.layers.core.registry import layer_class
from caffepy.net import checks
from caffepy.proto import caffe_pb2, forks
from caffepy.proto.fields import is_message, is_repeated
from caffepy.proto.parse_errors import unknown_field
from caffepy.proto.text import parse
from caffepy.proto.upgrade import upgrade_solver
from caffepy.solver.setup import checks as solver_checks

ROOTS = ("NetParameter", "SolverParameter")


@pytest.fixture(scope="module")
def tables() -> Any:
    return runpy.run_path(str(Path(__file__).parents[2] / "tools/dev/fork_tables"))


def test_page(tables: Any) -> None:
    page = tables["PAGE"].read_text(encoding="utf-8")
    assert page == tables["filled"](page), "out of date: run tools/dev/make_all"


def test_types(tables: Any) -> None:
    for name, status, way in tables["types_of_forks"]():
        if status == "works":
            assert layer_class(name).type == name
            continue
        with pytest.raises(LayerError) as refused:
            layer_class(name)
        assert f"Unknown layer type: {name} (fork: {forks.forks_of_type(name)})" in str(refused.value)
        assert str(refused.value).endswith(f"; nearest way: {way}")


def test_fields(tables: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each field that the schema has, alone in a layer, a net or a solver; what layers refuse when they are set up has tests there."""
    told: list[str] = []
    monkeypatch.setattr(log, "warning", lambda place, line: told.append(line))
    tried = dict.fromkeys(("works", "accepted without effect", "refused"), 0)
    for entry in tables["entries"]():
        of_a_file = entry.name.split(".")[0] in tables["FILES"] or not entry.path or entry.path[0] not in ROOTS
        message = None if of_a_file or entry.name in tables["REFUSED_BY_LAYERS"] else given(entry.path, entry.kind)
        if message is None:
            continue
        told.clear()
        error = attempt(message)
        if entry.status == "refused":
            assert "(fork: " in error, entry
            assert "does nothing here; needed: " in error or "is not one of" in error, entry
        else:
            assert "(fork: " not in error, (entry, error)
            if entry.status == "accepted without effect" and ".Engine." not in entry.name:
                assert [line for line in told if "has no effect here" in line], entry
        tried[entry.status] += 1
    assert tried["works"] > 500
    assert tried["accepted without effect"] > 40
    assert tried["refused"] > 800


def test_fields_beyond_the_schema() -> None:
    pool = caffe_pb2.DESCRIPTOR.pool
    for names in forks.FIELDS.values():
        for name in names.split():
            message, *_, field = name.split(".")
            if name.count(".") == 1:
                assert forks.forks_of(name) in unknown_field(f"caffe.{message}", field, pool)


def given(path: tuple[str, ...], kind: str) -> Any:
    """A net or a solver in which only the field of ``path`` is set; None where it can only be at its default."""
    start = path[0]
    message = root = caffe_pb2.SolverParameter() if start == "SolverParameter" else caffe_pb2.NetParameter()
    names = list(path[1:])
    while names:
        name = names.pop(0)
        field = message.DESCRIPTOR.fields_by_name[name]
        if field.containing_type.name == "SolverParameter" and is_message(field) and field.message_type.name == "NetParameter":
            message = root = caffe_pb2.NetParameter()  # a net is checked apart
            continue
        if is_message(field):
            inner = getattr(message, name)
            if field.message_type.name == "V1LayerParameter":
                return None
            message = inner.add() if is_repeated(field) else inner
            if not is_repeated(field):
                message.SetInParent()
            if field.message_type.name == "LayerParameter":
                message.type = kind or "Silence"
            continue
        value = changed(field, names)
        if value is None:
            return None
        if is_repeated(field):
            getattr(message, name).append(value)
        else:
            setattr(message, name, value)
        break
    return root


def changed(field: Any, names: list[str]) -> Any:
    """A value of the field that is not its default, or the enum's value that ``names`` has left."""
    if field.enum_type is not None:
        if names:
            number = field.enum_type.values_by_name[names[0]].number
            return None if number == field.default_value and not is_repeated(field) else number
        enum = field.enum_type.full_name.removeprefix("caffe.")
        others = [
            value.number
            for value in field.enum_type.values
            if value.number != field.default_value and not forks.forks_of(f"{enum}.{value.name}")
        ]
        return others[0] if others else None
    if field.cpp_type == field.CPPTYPE_STRING:
        return b"x" if field.type == field.TYPE_BYTES else "x"
    if field.cpp_type == field.CPPTYPE_BOOL:
        return not field.default_value
    return 1 if is_repeated(field) else field.default_value + 1


def attempt(message: Any) -> str:
    """What is said against it, or nothing."""

    def where(*path: str | int) -> str:
        return "net.prototxt"

    try:
        if isinstance(message, caffe_pb2.SolverParameter):
            upgrade_solver(message, "solver.prototxt")
            solver_checks.check(message, parse("", caffe_pb2.SolverParameter(), file="solver.prototxt"))
        else:
            checks.check_net(message, where)
            checks.check_types(message, where)
    except CaffeError as error:
        return re.sub(r"^\S+: ", "", str(error))
    return ""
