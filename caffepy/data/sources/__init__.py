"""Sources of data layers: one file for each type of layer, under the name of its Caffe header."""
