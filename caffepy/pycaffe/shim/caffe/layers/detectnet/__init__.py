"""``caffe.layers.detectnet``: DetectNet's Python layers."""
