"""``caffe.io``."""

import sys

from caffepy.pycaffe import io

sys.modules[__name__] = io
