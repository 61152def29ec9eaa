"""Blobs: whose memory the values lie in, and copies of a GPU's blobs for who looks at them."""

from __future__ import annotations

import pytest
import torch

from caffepy.engine.blob import Blob, MirroredBlob, new_blob


def test_results_take_the_place_of_values_that_nobody_looks_at() -> None:
    blob, result = Blob(torch.zeros(2, 3)), torch.ones(2, 3)
    blob.take(result)
    assert blob.data is result


def test_memory_that_was_looked_at_stays() -> None:
    blob = Blob(torch.zeros(2, 3))
    seen = blob.data_array()
    blob.take(torch.ones(2, 3))
    assert seen.tolist() == [[1] * 3] * 2
    seen[0, 0] = 5
    assert float(blob.data[0, 0]) == 5
    blob.take(torch.full((4,), 2.0))
    assert blob.data_array().tolist() == [2] * 4
    assert seen[0, 0] == 5


def test_an_array_is_contiguous() -> None:
    blob = Blob(torch.zeros(1))
    blob.take(torch.arange(6.0).view(2, 3).t())
    array = blob.data_array()
    assert array.flags["C_CONTIGUOUS"]
    assert array.tolist() == [[0, 3], [1, 4], [2, 5]]
    array[0, 0] = 7
    assert float(blob.data[0, 0]) == 7


def test_kept_values_outlive_the_next_result() -> None:
    blob = Blob(torch.zeros(2))
    blob.data_array()
    kept = blob.kept()
    blob.take(torch.ones(2))
    assert kept.tolist() == [0, 0]


@pytest.mark.parametrize("kind", [Blob, MirroredBlob])
def test_shapes(kind: type[Blob]) -> None:
    blob = kind(torch.arange(6.0).view(2, 3))
    blob.diff.fill_(3)
    blob.reshape((3, 2))
    assert blob.data.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert blob.diff.tolist() == [[3, 3]] * 3
    shown = blob.data_array()
    blob.reshape((2, 2))
    assert (blob.data.tolist(), blob.diff.tolist()) == ([[0, 1], [2, 3]], [[3, 3]] * 2)
    blob.data_array()[...] = 7
    assert blob.data.tolist() == [[7, 7]] * 2
    assert kind is MirroredBlob or shown.tolist() == [[7, 7], [7, 7], [4, 5]]
    blob.reshape((7,))
    assert blob.data.tolist() == blob.diff.tolist() == [0] * 7
    blob.take(torch.ones(5))
    assert blob.diff.tolist() == [0] * 5


@pytest.mark.parametrize("kind", [Blob, MirroredBlob])
def test_one_memory_in_two_shapes(kind: type[Blob]) -> None:
    blob = kind(torch.zeros(2, 3))
    other = blob.seen_as((6,))
    assert blob.seen_as((2, 3)) is blob
    other.data_array()[4] = 1
    other.diff_array()[5] = 2
    assert (float(blob.data[1, 1]), float(blob.diff[1, 2])) == (1, 2)


class TestMirror:
    """On tensors of the CPU, as every machine has one."""

    def test_what_is_written_to_the_array_counts(self) -> None:
        blob = MirroredBlob(torch.zeros(2))
        array = blob.data_array()
        array[0] = 4
        assert blob.data.tolist() == [4, 0]

    def test_the_array_follows_the_device(self) -> None:
        """The array is brought up to date when it is asked for again, in the same memory."""
        memory = torch.zeros(2)
        blob = MirroredBlob(memory)
        array = blob.data_array()
        blob.data.fill_(7)
        assert array.tolist() == [0, 0]
        assert blob.data_array() is not None
        assert array.tolist() == [7, 7]
        blob.take(torch.tensor([1.0, 2]))
        blob.data_array()
        assert array.tolist() == [1, 2]
        assert memory.tolist() == [7, 7]

    def test_asking_for_the_shape_moves_nothing(self) -> None:
        """An array that was taken before can still be written."""
        blob = MirroredBlob(torch.zeros(2))
        array = blob.data_array()
        assert (blob.shape, blob.device.type, blob.seen_as((2,))) == ((2,), "cpu", blob)
        blob.reshape((2,))
        array[1] = 6
        assert blob.data.tolist() == [0, 6]

    def test_settling_brings_writes_to_the_device(self) -> None:
        memory = torch.zeros(2)
        blob = MirroredBlob(memory)
        blob.data_array()[1] = 9
        blob.diff_array()[0] = 3
        assert memory.tolist() == [0, 0]
        blob.sync()
        assert memory.tolist() == [0, 9]
        assert blob.diff.tolist() == [3, 0]


@pytest.mark.gpu
def test_a_blob_of_a_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    blob = new_blob(torch.zeros(3, device="cuda"))
    blob.data_array()[1] = 2
    assert blob.data.device.type == "cuda"
    assert blob.data.tolist() == [0, 2, 0]


def test_a_blob_of_the_cpu_is_no_copy() -> None:
    assert type(new_blob(torch.zeros(1))) is Blob
