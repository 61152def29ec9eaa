"""``caffe.coord_map``."""

import sys

from caffepy.pycaffe import coord_map

sys.modules[__name__] = coord_map
