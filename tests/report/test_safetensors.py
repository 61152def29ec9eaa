"""Parameters as safetensors files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from caffepy.report.safetensors import write_safetensors

ARRAYS = {"größe.0": np.arange(6, dtype=np.float32).reshape(2, 3), "scalar": np.float32(7).reshape(()), "b": np.zeros(0, np.float32)}


def test_head_and_numbers(tmp_path: Path) -> None:
    write_safetensors(str(tmp_path / "a"), ARRAYS, {"format": "pt"})
    content = (tmp_path / "a").read_bytes()
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    assert length % 8 == 0
    assert head.pop("__metadata__") == {"format": "pt"}
    assert head["größe.0"] == {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
    assert {name: entry["shape"] for name, entry in head.items()} == {name: list(array.shape) for name, array in ARRAYS.items()}
    numbers = content[8 + length :]
    for name, entry in head.items():
        start, end = entry["data_offsets"]
        np.testing.assert_array_equal(np.frombuffer(numbers[start:end], np.float32), ARRAYS[name].ravel())


def test_the_library_reads_it(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    write_safetensors(str(tmp_path / "a"), ARRAYS, {"format": "pt"})
    found = library.load_file(tmp_path / "a")
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)


def test_numbers_of_other_sizes(tmp_path: Path) -> None:
    arrays = {"steps": np.array(3, np.int32), "mean": np.array([1.5, 2.5], np.float64)}
    write_safetensors(str(tmp_path / "a"), arrays, {})
    content = (tmp_path / "a").read_bytes()
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    assert head["steps"] == {"dtype": "I64", "shape": [], "data_offsets": [0, 8]}
    assert head["mean"] == {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}
    assert content[8 + length :] == np.int64(3).tobytes() + np.array([1.5, 2.5], np.float32).tobytes()
