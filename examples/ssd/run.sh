#!/usr/bin/env bash
# SSD from nothing: draws pictures of shapes with boxes, converts them, writes the nets, trains, tests, merges BatchNorm, draws boxes.
# Settings as for all examples (examples/common/start.sh), and
#   VOC        a folder like VOCdevkit/VOC2007, whose pictures are taken instead; then no figure is needed
#   MAX_ITER   iterations of the training
set -euo pipefail
example=ssd
source "$(dirname "$0")/../common/start.sh"
source examples/ssd/create_data.sh

step "writing the nets and solvers"
max_iter=${MAX_ITER:-$(short 1500 10)}
python examples/ssd/ssd_shapes.py "$out" --max_iter "$max_iter" --ranks "${MPI:-1}"

step "training $max_iter iterations, then testing"
train -solver "$out/solver.prototxt"
weights=$out/ssd_shapes_iter_$max_iter.caffemodel
found=$(sed -n 's/.*Test net output #0: detection_eval = //p' "$out/train.log" | tail -1)

step "merging BatchNorm into the convolutions"
export GLOG_minloglevel=2 # the nets of the scripts need no log
merged=$out/merged
python examples/ssd/merge_bn.py "$weights" "$out/merged.caffemodel" "$out/test.prototxt" "$merged/test.prototxt" \
    "$out/deploy.prototxt" "$merged/deploy.prototxt"
python examples/ssd/compare.py --voc "$voc" --list "$out/test.txt" --tested "$out/test.prototxt" \
    "$out/deploy.prototxt" "$weights" "$merged/deploy.prototxt" "$out/merged.caffemodel"

step "drawing the boxes that the merged net finds"
python examples/ssd/draw.py --voc "$voc" --list "$out/test.txt" --tested "$out/test.prototxt" --labels "$out/labelmap.prototxt" \
    "$merged/deploy.prototxt" "$out/merged.caffemodel" "$out/boxes.jpg"
needed=0.85
[ -z "${VOC:-}" ] || needed=0
finish "$out/boxes.jpg" "mAP $found >= $needed"
