#!/usr/bin/env bash
# Faster R-CNN from nothing: pictures of shapes in VOC's layout, end-to-end training, average precision, pictures with boxes.
# Set before, if you like:
#   VOC    a folder in VOC's layout, such as /data/VOCdevkit/VOC2007, in place of the shapes
#   OUT, MPI, SHORT   see examples/common/start.sh
set -euo pipefail
example=faster_rcnn
source "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"
source examples/faster_rcnn/steps.sh

prepare train.prototxt test.prototxt test_proposal.prototxt

step "training the trunk on pictures of one shape, $(iterations pretrain_solver.prototxt) iterations"
pretrain

step "training to detect, $(iterations solver.prototxt) iterations"
train -solver "$out/solver.prototxt" -weights "$out/trunk.caffemodel"

step "undoing the normalisation of the boxes' targets in the weights"
finish_weights test.prototxt

step "testing, with the layer in Python and with PVANet's Proposal"
detect "$out/test.prototxt" "$out/test_proposal.prototxt" --picture "$out/faster_rcnn.png"
finish "$out/faster_rcnn.png" "mAP $(precision test.prototxt) >= 0.8" "mAP with Proposal $(precision test_proposal.prototxt) >= 0.8"
