"""``caffe.proto.caffe_pb2``: caffepy's message classes.

Also ``caffe_pb2`` where this folder itself is on the path.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("caffepy") is None:
    sys.path.append(str(Path(__file__).resolve().parents[5]))

from caffepy.proto import caffe_pb2

sys.modules[__name__] = caffe_pb2
