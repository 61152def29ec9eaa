# Made by tools/dev/make_stubs.
from caffepy.proto.caffe_pb2 import *
