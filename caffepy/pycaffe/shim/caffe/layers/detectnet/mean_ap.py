"""``caffe.layers.detectnet.mean_ap``."""

import sys

from caffepy.pycaffe.detectnet import mean_ap

sys.modules[__name__] = mean_ap
