"""One file for each Caffe layer type; importing this package registers them all."""
