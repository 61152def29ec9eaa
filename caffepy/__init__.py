"""caffepy: Caffe's nets, solvers, tools and logs, run by PyTorch on one process or over MPI."""

import os

__version__ = "0.1.0"

if not (__file__.endswith(".py") and os.path.isfile(__file__)):
    raise ImportError(
        f"caffepy is installed as {__file__}; needed: its .py files in a folder, since it reads there which layers it has (pip install "
        "leaves them so; a zip file or compiled files alone will not do)"
    )
