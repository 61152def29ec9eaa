"""The Python layers of DetectNet's nets, ``caffe.layers.detectnet`` in NVIDIA's Caffe."""
