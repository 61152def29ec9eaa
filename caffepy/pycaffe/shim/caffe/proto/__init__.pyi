# Made by tools/dev/make_stubs.
from caffe.proto import caffe_pb2 as caffe_pb2
