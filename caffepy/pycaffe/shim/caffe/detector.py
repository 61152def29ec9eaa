"""``caffe.detector``."""

import sys

from caffepy.pycaffe import detector

sys.modules[__name__] = detector
