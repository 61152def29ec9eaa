"""``caffe._caffe``: the names of the module."""

from caffepy.pycaffe import *
