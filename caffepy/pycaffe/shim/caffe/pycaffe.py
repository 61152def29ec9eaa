"""``caffe.pycaffe``: the names of the module."""

from caffepy.pycaffe import *
