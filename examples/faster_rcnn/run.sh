#!/usr/bin/env bash
# Faster R-CNN from nothing: pictures of shapes in VOC's layout, end-to-end training, average precision, pictures with boxes.
# Set before, if you like:
#   VOC    a folder in VOC's layout, such as /data/VOCdevkit/VOC2007, in place of the shapes
#   OUT, MPI, SHORT   see examples/common/start.sh
set -euo pipefail
example=faster_rcnn
source "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"
source examples/faster_rcnn/steps.sh

prepare solver.prototxt train.prototxt test.prototxt test_proposal.prototxt

step "training $(iterations) iterations"
train -solver "$out/solver.prototxt"

step "undoing the normalisation of the boxes' targets in the weights"
finish_weights test.prototxt

step "testing, with the layer in Python and with PVANet's Proposal"
detect test.prototxt --picture "$out/faster_rcnn.png"
detect test_proposal.prototxt
finish "$out/faster_rcnn.png" "mAP $(precision test.prototxt) >= 0.8" "mAP with Proposal $(precision test_proposal.prototxt) >= 0.8"
