"""``caffe.proto.caffe_pb2``: caffepy's message classes."""

from caffepy.proto.caffe_pb2 import *
