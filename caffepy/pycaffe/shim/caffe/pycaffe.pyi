# Made by tools/dev/make_stubs.
from caffe import *
