"""``caffe.draw``."""

import sys

from caffepy.pycaffe import draw

sys.modules[__name__] = draw
