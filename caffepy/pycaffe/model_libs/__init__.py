"""``caffe.model_libs`` of SSD: functions that add known nets and SSD's layers to a NetSpec.

SSD's training scripts are written with them.

Each function adds layers to ``net`` behind the one that is named, and takes what it takes there.
Names of layers, and so of blobs, are those of SSD: the published weights fit. Errors: `Unfit`,
which scripts may catch as AssertionError, and those of NetSpec.
"""

import os

from caffepy.proto import caffe_pb2
from caffepy.pycaffe.model_libs.annotated import CreateAnnotatedDataLayer
from caffepy.pycaffe.model_libs.blocks import ConvBNLayer, UnpackVariable
from caffepy.pycaffe.model_libs.files import check_if_exist, make_if_not_exist
from caffepy.pycaffe.model_libs.inception import InceptionTower, InceptionV3Body
from caffepy.pycaffe.model_libs.multibox import CreateMultiBoxHead
from caffepy.pycaffe.model_libs.resnet import ResBody, ResNet101Body, ResNet152Body
from caffepy.pycaffe.model_libs.vgg import VGGNetBody
from caffepy.pycaffe.model_libs.zf import ZFNetBody
from caffepy.pycaffe.net_spec import layers as L
from caffepy.pycaffe.net_spec import params as P

__all__ = [
    "ConvBNLayer",
    "CreateAnnotatedDataLayer",
    "CreateMultiBoxHead",
    "InceptionTower",
    "InceptionV3Body",
    "L",
    "P",
    "ResBody",
    "ResNet101Body",
    "ResNet152Body",
    "UnpackVariable",
    "VGGNetBody",
    "ZFNetBody",
    "caffe_pb2",
    "check_if_exist",
    "make_if_not_exist",
    "os",
]
"""What ``from caffe.model_libs import *`` gives.

Scripts also take ``L``, ``P``, ``caffe_pb2`` and ``os`` from there.
"""
