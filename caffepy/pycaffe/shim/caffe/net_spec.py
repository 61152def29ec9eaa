"""``caffe.net_spec``."""

import sys

from caffepy.pycaffe import net_spec

sys.modules[__name__] = net_spec
