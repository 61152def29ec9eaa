"""``caffe.layers``: NetSpec's layer functions, and NVIDIA Caffe's modules of Python layers."""

from caffepy.pycaffe import net_spec


def __getattr__(name):
    return getattr(net_spec.layers, name)


def __dir__():
    return dir(net_spec.layers)
