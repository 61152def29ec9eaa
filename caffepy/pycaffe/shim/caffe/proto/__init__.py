"""``caffe.proto``: the messages of the schema."""
