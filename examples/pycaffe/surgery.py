#!/usr/bin/env python3
"""Fine-tune with net surgery: a net that knows five digits becomes one that learns ten, and keeps what it knows.

Layers of the same name and shape are taken from the caffemodel by themselves. The last layer has more rows now: it has a new name, so that
nothing is copied into it, and the five old rows are put into it by hand.
"""

import os
import sys
import tempfile

import caffe
import digits


def main():
    """Train on 5 digits, operate, train the last layer on 10; the accuracies before the operation, after it, and after the training."""
    digits.write_net("five.prototxt", 5)
    five, weights = digits.train("five.prototxt", 100)

    digits.write_net("ten.prototxt", 10, seed=2, score="score10", frozen=True)
    digits.write_solver("ten.solver", "ten.prototxt", 150)
    ten = caffe.get_solver("ten.solver")
    ten.net.copy_from(weights)  # conv; score10 is not in the file
    for new, old in zip(ten.net.params["score10"], five.net.params["score"]):
        new.data[:5] = old.data
        new.data[5:] = 0
    kept = ten.net.params["conv"][0].data.copy()

    def accuracy(net):
        return sum(float(net.forward()["accuracy"]) for _ in range(4)) / 4

    found = [accuracy(five.net), accuracy(ten.net)]
    ten.step(150)
    found.append(accuracy(ten.net))
    assert (ten.net.params["conv"][0].data == kept).all(), "a layer with lr_mult 0 has changed"
    print("5 digits: {:.2f}; 10 digits, after the operation: {:.2f}; after fine-tuning: {:.2f}".format(*found))
    return found


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    os.chdir(tempfile.mkdtemp())
    main()
