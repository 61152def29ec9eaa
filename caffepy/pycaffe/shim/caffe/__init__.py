"""``import caffe``: caffepy under Caffe's own name, for scripts that were written for it."""

import gc
import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("caffepy") is None:
    # this folder alone is on the path, as Caffe's python/ would be: the package lies around it
    sys.path.append(str(Path(__file__).resolve().parents[4]))

from caffepy.real_caffe import step_aside

if not step_aside(__name__, __path__):
    collects = gc.isenabled()
    # a collection would look at all that torch has made, and classes and functions are no garbage
    gc.disable()
    try:
        from caffepy.pycaffe import (
            Blob,
            Classifier,
            Detector,
            Layer,
            Net,
            NetSpec,
            Timer,
            __version__,
        )

        from caffe import _caffe, classifier, detector, io, net_spec, proto, pycaffe
    finally:
        if collects:
            gc.enable()

    __all__ = [*pycaffe.__all__, "classifier", "detector", "net_spec", "proto", "pycaffe"]

    def __getattr__(name):
        return getattr(pycaffe, name)

    def __dir__():
        return sorted({*globals(), *__all__})
