"""``caffe.params``: the values of enums, ``P.Pooling.MAX``."""

from caffepy.pycaffe import net_spec


def __getattr__(name):
    return getattr(net_spec.params, name)


def __dir__():
    return dir(net_spec.params)
