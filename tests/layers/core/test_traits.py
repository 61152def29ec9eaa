"""The traits of layers: each is documented with the classes that set it, and read by somebody."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from caffepy.layers.core import traits
from caffepy.layers.core.base import Layer
from caffepy.layers.core.registry import LAYERS

PACKAGE = Path(inspect.getfile(traits)).parents[2]
RECORDS = {name: value for name, value in vars(Layer).items() if type(value).__module__ == traits.__name__}
"""What each layer has: the attribute, and the record with the defaults."""
FIELDS = [(record, field.name) for record, value in RECORDS.items() for field in dataclasses.fields(value)]
OTHERS = sorted(inspect.get_annotations(Layer).keys() - RECORDS.keys() - {"type"})
"""What it says of itself in no record."""


def documented() -> dict[str, str]:
    """The docstring of each field of a record."""
    found = {}
    for cls in ast.parse(inspect.getsource(traits)).body:
        if isinstance(cls, ast.ClassDef):
            found.update(described(cls))
    return found


def described(cls: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Each annotated attribute that a string follows, with that string."""
    for field, text in pairwise(cls.body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            yield getattr(field.target, "id", ""), ast.literal_eval(text.value)


def settings(cls: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(record, field) of what a class sets.

    By ``memory = Memory(saves_top=True)`` or ``self.memory = replace(self.memory, ...)``.
    """
    for node in ast.walk(cls):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            target = node.targets[0]
            record = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
            if record in RECORDS:
                yield from ((record, keyword.arg or "") for keyword in node.value.keywords)


def setters() -> dict[tuple[str, str], set[str]]:
    """The classes that set each field."""
    found = defaultdict(set)
    for path in sorted(PACKAGE.glob("layers/*/*.py")):
        for cls in ast.parse(path.read_text()).body:
            if isinstance(cls, ast.ClassDef):
                for setting in settings(cls):
                    found[setting].add(cls.name.removesuffix("Layer"))
    return found


SETTERS = setters()


def test_a_field_has_one_name_in_all_records() -> None:
    names = [name for _, name in FIELDS]
    assert len(set(names)) == len(names)
    assert {type(value).__name__ for value in RECORDS.values()} == {name.capitalize() for name in RECORDS}


@pytest.mark.parametrize(("record", "name"), FIELDS)
def test_each_field_is_documented_with_the_classes_that_set_it(record: str, name: str) -> None:
    text, _, classes = documented()[name].partition("Set by: ")
    assert text.strip()
    assert re.findall(r"\w+", classes) == sorted(SETTERS[record, name], key=lambda type_: (type_.lower(), type_))
    assert SETTERS[record, name], "no layer sets it"


@pytest.mark.parametrize(("record", "name"), FIELDS)
def test_each_field_is_read_outside_of_the_layers(record: str, name: str) -> None:
    reads = re.compile(rf"\b{record}\.{name}\b")
    others = [path for path in PACKAGE.rglob("*.py") if PACKAGE / "layers" not in path.parents]
    assert any(reads.search(path.read_text()) for path in others)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_record_is_documented_and_read(name: str) -> None:
    (cls,) = ast.parse(inspect.getsource(Layer)).body
    assert isinstance(cls, ast.ClassDef)
    assert name in {"bottoms", "tops"} or dict(described(cls))[name].strip()
    assert any(re.search(rf"\.{name}\b", path.read_text()) for path in PACKAGE.rglob("*.py"))


def test_layers_set_only_what_there_is() -> None:
    assert set(SETTERS) <= set(FIELDS)


# what a class sets holds for those derived from it: here is who is meant
CONVOLUTIONS = "Convolution Convolution3D ConvolutionDepthwise Deconvolution DepthwiseConvolution"
TYPES = {
    "precision.sums_products": f"{CONVOLUTIONS} InnerProduct",
    "precision.takes_16_bits": "BatchNorm Concat Crop Dropout Eltwise Flatten Pooling ReLU Reshape Silence Slice SpatialDropout Split Tile",
    "precision.sums_bottoms": f"{CONVOLUTIONS} InnerProduct BatchNorm Scale",
    "precision.keeps_small": "Concat Dropout Eltwise Flatten LRN Pooling ReLU SpatialDropout Split",
    "batches.item_by_item": "Eltwise LRN Pooling ReLU Split",
    "quirks.copies_tops": "Crop Dropout PriorBox SpatialDropout",
    "quirks.shares_memory": "Flatten Gather Reshape Split",
    "quirks.learns_frozen": "LSTM RNN",
    "memory.refuses_inplace": "AbsVal Flatten Reorg Reshape Reverse Split",
    "gradients.separate": "Gather",
}


@pytest.mark.parametrize("trait", TYPES)
def test_the_types_that_have_a_trait(trait: str) -> None:
    record, name = trait.split(".")
    found = {each for each, cls in LAYERS.items() if getattr(getattr(cls, record), name)}
    assert found == set(TYPES[trait].split())


def test_the_types_whose_batches_cannot_be_shared_out() -> None:
    found = {each for each, cls in LAYERS.items() if not cls.batches.divisible}
    types = "AnnotatedData DenseImageData DummyData ImageLabelmapData MemoryData VideoData"
    assert found == {*types.split(), "WindowData"}
