#!/usr/bin/env python3
"""Classify an image: train a small net for a few seconds, then open it as a deploy net and ask it what a picture file shows."""

import os
import sys
import tempfile
from pathlib import Path

import caffe
import cv2
import digits
import numpy as np

DEPLOY = f"""
layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 1 dim: {digits.SIZE} dim: {digits.SIZE} }} }} }}
layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param {{ num_output: 12 kernel_size: 5 }} }}
layer {{ name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param {{ pool: MAX kernel_size: 2 stride: 2 }} }}
layer {{ name: "relu" type: "ReLU" bottom: "pool" top: "pool" }}
layer {{ name: "score" type: "InnerProduct" bottom: "pool" top: "score" inner_product_param {{ num_output: 10 }} }}
layer {{ name: "prob" type: "Softmax" bottom: "score" top: "prob" }}
"""


def classify(weights, picture):
    """The probabilities of the ten digits for the picture in a file."""
    Path("deploy.prototxt").write_text(DEPLOY)
    net = caffe.Net("deploy.prototxt", caffe.TEST, weights=weights)
    transformer = caffe.io.Transformer({"data": net.blobs["data"].data.shape})
    transformer.set_transpose("data", (2, 0, 1))  # (height, width, channels) to (channels, height, width)
    image = caffe.io.load_image(picture, color=False)
    net.blobs["data"].data[...] = transformer.preprocess("data", image)
    return net.forward()["prob"][0].copy()


def main():
    """Train, draw a 7, and tell the three likeliest digits."""
    digits.write_net("digits.prototxt", 10)
    _, weights = digits.train("digits.prototxt", 150)
    cv2.imwrite("seven.png", (255 * digits.draw(7, np.random.RandomState(5))).astype(np.uint8))
    prob = classify(weights, "seven.png")
    for digit in prob.argsort()[::-1][:3]:
        print(f"{prob[digit]:.4f} - {digit}")
    return prob


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # the net's data layer is in digits.py
    os.chdir(tempfile.mkdtemp())
    main()
