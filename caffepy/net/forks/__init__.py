"""Nets of forks of Caffe: what their layers do for which BVLC Caffe has others under the same names."""
