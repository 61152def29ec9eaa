# Made by tools/dev/make_stubs.
from caffepy.pycaffe.draw import *
