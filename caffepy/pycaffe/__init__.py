"""The names of Caffe's Python module, made of caffepy's own rooms; `import caffe` gives them.

Where a real Caffe is installed beside caffepy: ``import caffepy.pycaffe as caffe``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from caffepy.layers.core.base import TEST, TRAIN
from caffepy.layers.custom.python import UserLayer as Layer
from caffepy.proto import caffe_pb2
from caffepy.pycaffe import _caffe as _caffe
from caffepy.pycaffe import io, logging
from caffepy.pycaffe.blob import Blob
from caffepy.pycaffe.classifier import Classifier
from caffepy.pycaffe.detector import Detector
from caffepy.pycaffe.logging import init_log, log
from caffepy.pycaffe.net import Net
from caffepy.pycaffe.net_spec import NetSpec, layers, params, to_proto
from caffepy.pycaffe.state import (
    has_nccl,
    layer_type_list,
    set_device,
    set_mode_cpu,
    set_mode_gpu,
    set_multiprocess,
    set_random_seed,
    set_solver_count,
    set_solver_rank,
    solver_count,
    solver_rank,
)
from caffepy.pycaffe.timer import Timer

if TYPE_CHECKING:
    from caffepy.pycaffe.nccl import NCCL
    from caffepy.pycaffe.solvers import (
        AdaDeltaSolver,
        AdaGradSolver,
        AdamSolver,
        NesterovSolver,
        RMSPropSolver,
        SGDSolver,
        Solver,
        get_solver,
    )

__version__ = "1.0.0"
"""Of the Caffe whose surface this is."""

LATER = {
    **dict.fromkeys(
        (
            "AdaDeltaSolver",
            "AdaGradSolver",
            "AdamSolver",
            "NesterovSolver",
            "RMSPropSolver",
            "SGDSolver",
        ),
        "solvers",
    ),
    **dict.fromkeys(("Solver", "get_solver"), "solvers"),
    "NCCL": "nccl",
}
"""Names and their module, which is loaded when one of them is first used.

A script that only runs nets does not wait for the solvers.
"""

__all__ = [
    "NCCL",
    "TEST",
    "TRAIN",
    "AdaDeltaSolver",
    "AdaGradSolver",
    "AdamSolver",
    "Blob",
    "Classifier",
    "Detector",
    "Layer",
    "NesterovSolver",
    "Net",
    "NetSpec",
    "RMSPropSolver",
    "SGDSolver",
    "Solver",
    "Timer",
    "__version__",
    "caffe_pb2",
    "get_solver",
    "has_nccl",
    "init_log",
    "io",
    "layer_type_list",
    "layers",
    "log",
    "params",
    "set_device",
    "set_mode_cpu",
    "set_mode_gpu",
    "set_multiprocess",
    "set_random_seed",
    "set_solver_count",
    "set_solver_rank",
    "solver_count",
    "solver_rank",
    "to_proto",
]


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"caffe has no {name}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)


logging.start()
