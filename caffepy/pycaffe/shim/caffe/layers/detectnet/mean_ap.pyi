# Made by tools/dev/make_stubs.
from caffepy.pycaffe.detectnet.mean_ap import *
