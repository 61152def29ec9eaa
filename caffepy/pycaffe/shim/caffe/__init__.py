"""``import caffe``: caffepy under Caffe's own name, for scripts that were written for it."""

from caffepy import __version__
from caffepy.layers.base import TEST, TRAIN
from caffepy.layers.python import UserLayer as Layer
from caffepy.pycaffe.net import Net
from caffepy.pycaffe.solvers import Solver, get_solver
from caffepy.pycaffe.state import set_device, set_mode_cpu, set_mode_gpu, set_random_seed

__all__ = [
    "TEST",
    "TRAIN",
    "Layer",
    "Net",
    "Solver",
    "__version__",
    "get_solver",
    "set_device",
    "set_mode_cpu",
    "set_mode_gpu",
    "set_random_seed",
]
