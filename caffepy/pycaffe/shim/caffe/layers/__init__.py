"""``caffe.layers``: NetSpec's layer functions, beside the modules of Python layers that NVIDIA's Caffe has here."""

from caffepy.pycaffe import net_spec


def __getattr__(name):
    return getattr(net_spec.layers, name)
