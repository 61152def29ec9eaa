"""One file for each Caffe layer type, in folders by what it is.

A layer is imported when a net first names its type.
"""
