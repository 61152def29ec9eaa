"""``caffe.proto.caffe_pb2``: caffepy's message classes."""

import sys

from caffepy.proto import caffe_pb2

sys.modules[__name__] = caffe_pb2
