"""``caffe._caffe``: the names of the module."""

import sys

from caffepy.pycaffe import _caffe

sys.modules[__name__] = _caffe
