#!/usr/bin/env bash
# R-FCN from nothing: pictures of shapes in VOC's layout, training with online hard example mining, average precision, pictures with boxes.
# The layers in Python and the steps are those of examples/faster_rcnn.
# Set before, if you like:
#   VOC    a folder in VOC's layout, such as /data/VOCdevkit/VOC2007, in place of the shapes
#   OUT, MPI, SHORT   see examples/common/start.sh
set -euo pipefail
example=rfcn
source "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"
source examples/faster_rcnn/steps.sh

prepare train_agnostic_ohem.prototxt test_agnostic.prototxt

step "training the trunk on pictures of one shape, $(iterations pretrain_solver.prototxt) iterations"
pretrain

step "training to detect, $(iterations solver.prototxt) iterations"
train -solver "$out/solver.prototxt" -weights "$out/trunk.caffemodel"

step "undoing the normalisation of the boxes' targets in the weights"
finish_weights test_agnostic.prototxt

step "testing"
detect "$out/test_agnostic.prototxt" --picture "$out/rfcn.png"
finish "$out/rfcn.png" "mAP $(precision test_agnostic.prototxt) >= 0.8"
