"""The programs of Caffe's ``python`` folder; ``tools`` has them under their old names."""
