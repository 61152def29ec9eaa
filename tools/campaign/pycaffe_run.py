"""What a net and a solver do, as pycaffe shows it: run by the `caffe` that this Python imports, the real one or caffepy's.

``python pycaffe_run.py``: for each line of standard input, a folder with the files ``solver`` and ``net``, a line ``0``, or how the
process that did it ended; the numbers are then in its file ``real.npz``. Python 3.8 has to be able to read this file.
"""

import os
import signal
import sys

import numpy as np

LIMIT_S = 60


def run(steps, change=None):
    """Arrays by name, of the solver in the working folder: first values, a pass, ``steps`` iterations, a test pass.

    ``change``: what is done with the first values of each parameter.
    """
    import caffe

    caffe.set_mode_cpu()
    solver = caffe.get_solver("solver")
    net = solver.net
    found = {}

    def params(when):
        for name, blobs in net.params.items():
            for i, blob in enumerate(blobs):
                found[f"{when}/param/{name}/{i}"] = blob.data.copy()

    if change:
        for blobs in net.params.values():
            for blob in blobs:
                blob.data[...] = change(blob.data)
    params("start")
    net.forward()
    net.backward()
    for name, blob in net.blobs.items():
        found[f"pass/blob/{name}"] = blob.data.copy()
    for name, blobs in net.params.items():
        for i, blob in enumerate(blobs):
            found[f"pass/gradient/{name}/{i}"] = blob.diff.copy()
    for step in range(steps):
        solver.step(1)
        params(f"iteration {step + 1}")
        for name in net.outputs:
            found[f"iteration {step + 1}/blob/{name}"] = net.blobs[name].data.copy()
    test = solver.test_nets[0]
    test.share_with(net)
    test.forward()
    for name in test.outputs:
        found[f"test/blob/{name}"] = test.blobs[name].data.copy()
    return found


def serve():
    """One process for each folder, so that one that ends the process ends no other."""
    import caffe  # noqa: F401  once for all

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            signal.alarm(LIMIT_S)
            folder, steps = line.rstrip("\n").split("\t")
            os.chdir(folder)
            np.savez("real.npz", **run(int(steps)))
            os._exit(0)
        print(os.waitpid(pid, 0)[1], flush=True)


if __name__ == "__main__":
    serve()
