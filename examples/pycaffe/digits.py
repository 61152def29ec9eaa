"""Pictures of digits, drawn and not downloaded; a data layer in Python that gives them to a net; and a net that tells them apart."""

from __future__ import annotations

from pathlib import Path

import caffe
import cv2
import numpy as np
from caffe import layers as L
from caffe import params as P

SIZE = 20


def draw(digit: int, random: np.random.RandomState) -> np.ndarray:
    """One picture, (SIZE, SIZE) of 0 to 1: the digit somewhere near the middle, and some noise."""
    picture = np.zeros((SIZE, SIZE), np.uint8)
    place = (int(random.randint(3, 8)), int(random.randint(14, 18)))
    cv2.putText(picture, str(digit), place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 255)
    return np.clip(picture / 255 + 0.1 * random.randn(SIZE, SIZE), 0, 1)


class DigitsLayer(caffe.Layer):
    """Tops: pictures (N, 1, SIZE, SIZE) and labels (N,).  param_str: batch size, number of digits, seed."""

    def setup(self, bottom, top):
        """Read ``param_str``."""
        self.batch, self.digits, seed = map(int, self.param_str.split())
        self.random = np.random.RandomState(seed)

    def reshape(self, bottom, top):
        """The tops' shapes."""
        top[0].reshape(self.batch, 1, SIZE, SIZE)
        top[1].reshape(self.batch)

    def forward(self, bottom, top):
        """Draw a batch."""
        for i, digit in enumerate(self.random.randint(self.digits, size=self.batch)):
            top[0].data[i, 0] = draw(digit, self.random)
            top[1].data[i] = digit

    def backward(self, top, propagate_down, bottom):
        """Nothing comes before."""


def write_net(path, digits, *, seed=1, score="score", frozen=False, loss="SoftmaxWithLoss", **loss_param):
    """Write a net for so many ``digits``: data, a convolution, a pooling, ``score``, and a loss.  ``frozen``: only ``score`` learns."""
    lr_mult = 0 if frozen else 1
    net = caffe.NetSpec()
    net.data, net.label = L.Python(module="digits", layer="DigitsLayer", param_str=f"32 {digits} {seed}", ntop=2)
    net.conv = L.Convolution(
        net.data, kernel_size=5, num_output=12, weight_filler={"type": "xavier"}, param=[{"lr_mult": lr_mult}, {"lr_mult": lr_mult}]
    )
    net.pool = L.Pooling(net.conv, kernel_size=2, stride=2, pool=P.Pooling.MAX)
    net.relu = L.ReLU(net.pool, in_place=True)
    net[score] = L.InnerProduct(net.pool, num_output=digits, weight_filler={"type": "xavier"})
    net.loss = getattr(L, loss)(net[score], net.label, **loss_param)
    net.accuracy = L.Accuracy(net[score], net.label)
    Path(path).write_text(str(net.to_proto()))


def write_solver(path, net, iterations):
    """Write a solver for the net in this file; it leaves ``<net>_iter_<iterations>.caffemodel``."""
    rule = f'base_lr: 0.05 lr_policy: "fixed" momentum: 0.9 max_iter: {iterations} random_seed: 1'
    Path(path).write_text(f'net: "{net}" snapshot_prefix: "{net}" {rule}')


def train(net, iterations):
    """Train the net in this file; the solver afterwards, and the file of its weights."""
    write_solver(f"{net}.solver", net, iterations)
    solver = caffe.get_solver(f"{net}.solver")
    solver.step(iterations)
    solver.snapshot()
    return solver, f"{net}_iter_{iterations}.caffemodel"
