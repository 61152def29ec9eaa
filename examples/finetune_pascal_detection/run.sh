#!/usr/bin/env bash
# R-CNN: draws pictures of shapes and windows proposed for them, trains a classifier of windows, detects with caffe.Detector.
# Set before, if you like:
#   OUT, SHORT, MPI   see examples/common/start.sh
set -euo pipefail
example=finetune_pascal_detection
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"
export PYTHONPATH=$PWD/examples/faster_rcnn/lib:$PYTHONPATH

step "drawing pictures and proposing windows"
rm -rf "$out/data"
python examples/$example/make_data.py "$out/data" --train "$(short 600 12)" --test "$(short 100 5)"
place pascal_finetune_trainval_test.prototxt pascal_finetune_solver.prototxt
iterations=$(short 600 3)
step "training: $iterations iterations"
train -solver="$out/pascal_finetune_solver.prototxt" -set max_iter="$iterations" -set test_iter="[$(short 20 1)]"
weights=$out/pascal_det_finetune_iter_$iterations.caffemodel

step "detecting"
precision=$(OMP_NUM_THREADS=1 python examples/$example/detect_windows.py "$out/data/window_file_test.txt" examples/$example/deploy.prototxt \
    "$weights" --picture "$out/windows.png")
finish "$out/windows.png" "mAP $precision >= 0.7"
