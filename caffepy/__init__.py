"""caffepy: Caffe's nets, solvers, tools and logs, run by PyTorch on one process or over MPI."""

__version__ = "0.1.0"
