"""``caffe.proto``: the messages of the schema."""

from caffe.proto import caffe_pb2
