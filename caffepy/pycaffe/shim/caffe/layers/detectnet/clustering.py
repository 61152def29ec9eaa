"""``caffe.layers.detectnet.clustering``."""

import sys

from caffepy.pycaffe.detectnet import clustering

sys.modules[__name__] = clustering
