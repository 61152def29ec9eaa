"""Blobs of layers that users write in Python, and what such layers may do with them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from caffepy.errors import LayerError
from caffepy.layers.common.python_blob import PythonBlob, PythonBlobs
from tests.layers.check import check_layer, gradients, refusal, subject
from tests.layers.users import IN_FLOAT32, WEIGHTED, lay_out, layer

MODULE = """
import caffe
import torch
"""
MODULE += WEIGHTED
MODULE += '''


class Loss(Weighted):
    """A weighted loss, which has no axes in any pass."""

    def forward(self, bottom, top):
        assert (bottom[0].data.shape, top[0].data.shape) == ((), ()), bottom[0].data.shape
        super().forward(bottom, top)

    def backward(self, top, propagate_down, bottom):
        assert top[0].diff.shape == bottom[0].diff.shape == (), top[0].diff.shape
        super().backward(top, propagate_down, bottom)


class Flat(Weighted):
    """Top = weights * bottom; in between the blobs have other shapes."""

    def setup(self, bottom, top):
        self.blobs.add_blob(2, 3)
        self.blobs[0].data[...] = 2

    def reshape(self, bottom, top):
        bottom[0].reshape(6)
        top[0].reshape(2, 3)

    def forward(self, bottom, top):
        self.blobs[0].reshape(6)
        top[0].data[...] = (self.blobs[0].data * bottom[0].data).reshape(2, 3)
        self.blobs[0].reshape(2, 3)

    def backward(self, top, propagate_down, bottom):
        self.blobs[0].reshape(6)
        self.blobs[0].diff[...] = top[0].diff.reshape(6) * bottom[0].data
        bottom[0].diff[...] = top[0].diff.reshape(6) * self.blobs[0].data
        self.blobs[0].reshape(2, 3)


class Late(Weighted):
    """Adds its parameter when it knows the shape."""

    def setup(self, bottom, top):
        self.calls = []

    def reshape(self, bottom, top):
        self.calls.append("reshape")
        if not self.blobs:
            super().setup(bottom, top)
        super().reshape(bottom, top)


class Kept(Weighted):
    """Keeps views of its parameters from ``setup`` on; counts its passes."""

    def setup(self, bottom, top):
        self.blobs.add_blob(2)
        self.weight = self.blobs[0].data
        self.weight[...] = 3
        self.blobs.add_blob()
        self.passes = self.blobs[1].data.reshape(1)

    def forward(self, bottom, top):
        self.passes += 1
        top[0].data[...] = self.weight * bottom[0].data


class Shrinking(Weighted):
    """Leaves its bottom fewer elements."""

    def backward(self, top, propagate_down, bottom):
        bottom[0].reshape(2)
        bottom[0].diff[...] = 1


class Assigning(Weighted):
    """Puts an array in the place of the top's."""

    def forward(self, bottom, top):
        top[0].data = bottom[0].data


class ByTorch(Weighted):
    """A layer whose gradient PyTorch finds."""

    def setup(self, bottom, top):
        pass

    def forward(self, bottom, top):
        self.x = torch.from_numpy(bottom[0].data).requires_grad_()
        self.y = self.x.exp()
        top[0].data[...] = self.y.detach().numpy()

    def backward(self, top, propagate_down, bottom):
        self.y.backward(torch.from_numpy(top[0].diff))
        bottom[0].diff[...] = self.x.grad.numpy()
'''


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of users' layers in the working folder."""
    lay_out(MODULE, tmp_path, monkeypatch)


def test_parameters_that_the_first_reshape_adds() -> None:
    it = check_layer(layer("Late"), no_gradcheck=IN_FLOAT32, x=(2, 3))
    assert [tuple(blob.shape) for blob in it.blobs()] == [(2, 3)]
    assert subject(layer("Late"), x=(2,)).layer.instance.calls == ["reshape"]


def test_views_that_setup_keeps() -> None:
    it = subject(layer("Kept"), x=[1, 2])
    weight, passes = blobs = it.arena.blobs(it.node)
    for factor in (3, 5):
        weight.data.fill_(factor)
        with torch.no_grad():
            assert it.layer.forward(it.bottoms(), blobs, it.run())[0].tolist() == [factor, 2 * factor]
    assert passes.item() == 2


def test_users_may_let_pytorch_find_the_gradient() -> None:
    check_layer(layer("ByTorch"), no_gradcheck=IN_FLOAT32, x=(2, 3))
    (diff,) = gradients(layer("ByTorch"), [2, 2], x=[0, 1])
    torch.testing.assert_close(diff, 2 * torch.tensor([0.0, 1]).exp())


def test_blobs_keep_their_gradient_in_other_shapes() -> None:
    check_layer(layer("Flat"), no_gradcheck=IN_FLOAT32, x=(2, 3, 1, 1))
    diffs = gradients(layer("Flat"), [[1, 1, 1], [2, 2, 2]], x=[[1, 2, 3], [4, 5, 6]])
    assert [diff.tolist() for diff in diffs] == [[[2, 2, 2], [4, 4, 4]], [[1, 2, 3], [8, 10, 12]]]


def test_a_gradient_of_other_length_is_refused() -> None:
    with pytest.raises(LayerError, match=r"its bottom\[0\] was reshaped to 2 elements, needed: the 6 that there are"):
        gradients(layer("Shrinking"), x=(2, 3))


def test_blobs_without_axes() -> None:
    check_layer(layer("Loss"), no_gradcheck=IN_FLOAT32, x=())


@pytest.mark.parametrize(
    ("shape", "kind", "words"),
    [
        (([2, 3],), TypeError, r"reshape\(\[2, 3\]\); needed: the length of each axis, as by reshape\(\*shape\)"),
        ((2.5, 2), ValueError, r"reshape\(2.5, 2\); needed: whole numbers"),
        ((-1, 2), ValueError, r"reshape\(-1, 2\); needed: whole numbers of at least 0"),
    ],
)
def test_shapes_that_are_none(shape: tuple[int, ...], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        PythonBlob((2, 2)).reshape(*shape)
    with pytest.raises(kind, match=words.replace("reshape", "add_blob")):
        PythonBlobs().add_blob(*shape)


def test_an_array_in_the_place_of_another() -> None:
    message = refusal(layer("Assigning"), x=(2,))
    line = next(n for n, text in enumerate(MODULE.splitlines(), start=1) if "top[0].data = " in text)
    assert f"needed: blob.data[...] = values ({Path('users_layers.py').resolve()}:{line})" in message
