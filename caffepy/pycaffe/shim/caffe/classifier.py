"""``caffe.classifier``."""

import sys

from caffepy.pycaffe import classifier

sys.modules[__name__] = classifier
