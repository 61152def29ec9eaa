# Made by tools/dev/make_stubs.
from caffepy.pycaffe.detector import *
