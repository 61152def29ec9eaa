# Made by tools/dev/make_stubs.
from caffepy.pycaffe.net_spec import *
