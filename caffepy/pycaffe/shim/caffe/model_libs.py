"""``caffe.model_libs``."""

import sys

from caffepy.pycaffe import model_libs

sys.modules[__name__] = model_libs
