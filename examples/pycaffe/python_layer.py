#!/usr/bin/env python3
"""A layer in Python: the focal loss, which counts what is already right less than SoftmaxWithLoss does.  Source: Lin et al. 2017."""

import os
import sys
import tempfile

import caffe
import digits
import numpy as np


class FocalLossLayer(caffe.Layer):
    """Mean over the batch of -(1 - p)^gamma log p, p being the label's probability.

    Bottoms: scores (N, C), labels (N,).  param_str: gamma.
    """

    def setup(self, bottom, top):
        """Look at what does not change with shapes: the parameter and the number of bottoms."""
        if len(bottom) != 2:
            raise ValueError("needed: two bottoms, scores and labels")
        self.gamma = float(self.param_str)

    def reshape(self, bottom, top):
        """The loss is one number."""
        top[0].reshape(1)

    def forward(self, bottom, top):
        """Softmax, and the loss; what backward needs is kept."""
        scores = bottom[0].data
        grown = np.exp(scores - scores.max(1, keepdims=True))
        self.prob = grown / grown.sum(1, keepdims=True)
        self.rows = np.arange(len(scores)), bottom[1].data.astype(int)
        p = self.prob[self.rows]
        top[0].data[...] = np.mean(-((1 - p) ** self.gamma) * np.log(p))

    def backward(self, top, propagate_down, bottom):
        """d loss / d score_j = factor * (prob_j - [j is the label])."""
        p = self.prob[self.rows]
        factor = (1 - p) ** self.gamma - self.gamma * p * (1 - p) ** (self.gamma - 1) * np.log(p)
        diff = self.prob.copy()
        diff[self.rows] -= 1
        bottom[0].diff[...] = diff * factor[:, None] * top[0].diff[0] / len(p)


def main():
    """Train with it; the loss and the accuracy of the last batch."""
    python_param = {"module": "python_layer", "layer": "FocalLossLayer", "param_str": "2"}
    digits.write_net("focal.prototxt", 10, loss="Python", python_param=python_param, loss_weight=1)
    solver, _ = digits.train("focal.prototxt", 150)
    loss, accuracy = (float(solver.net.blobs[name].data.sum()) for name in ("loss", "accuracy"))
    print(f"loss {loss:.4f}, accuracy {accuracy:.2f}")
    return loss, accuracy


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    os.chdir(tempfile.mkdtemp())
    main()
