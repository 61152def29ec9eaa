# Made by tools/dev/make_stubs.
from caffepy.pycaffe.coord_map import *
