"""``import caffe``: caffepy under Caffe's own name, for scripts that were written for it."""

from caffepy.real_caffe import step_aside

if not step_aside(__name__, __path__):
    from caffe import classifier, detector, io, net_spec, proto, pycaffe
    from caffepy.pycaffe import *
    from caffepy.pycaffe import __version__
