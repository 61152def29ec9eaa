"""Nets of forks of Caffe, whose layers differ from BVLC Caffe's layers of the same names."""
