"""``caffe._caffe``: the names of the module."""

import sys

from caffepy import pycaffe

sys.modules[__name__] = pycaffe
