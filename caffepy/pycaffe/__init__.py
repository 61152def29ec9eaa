"""The surface of Caffe's Python module, over caffepy's own rooms; ``import caffe`` is a shim over this."""
