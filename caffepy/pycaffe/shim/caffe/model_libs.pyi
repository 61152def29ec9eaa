# Made by tools/dev/make_stubs.
from caffepy.pycaffe.model_libs import *
