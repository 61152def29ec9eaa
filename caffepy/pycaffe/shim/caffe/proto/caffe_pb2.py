"""``caffe.proto.caffe_pb2``: caffepy's message classes."""

from caffepy.proto.caffe_pb2 import *  # noqa: F403 - a module of this name is all of the other
