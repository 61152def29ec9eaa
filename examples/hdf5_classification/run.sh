#!/usr/bin/env bash
# Classes of points from HDF5 files: a line between them (logistic regression), then a net that may bend the border.
# Set before, if you like:
#   OUT, SHORT, MPI   see examples/common/start.sh
set -euo pipefail
example=hdf5_classification
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"

step "making the points"
python examples/hdf5_classification/make_data.py "$out/data" --train "$(short 8000 800)" --test "$(short 2000 200)"
place train_val.prototxt solver.prototxt nonlinear_train_val.prototxt nonlinear_solver.prototxt
iterations=$(short 4000 100)
for solver in solver nonlinear_solver; do
    net=${solver%solver}train_val
    step "training $net: $iterations iterations"
    train -solver="$out/$solver.prototxt" -set max_iter="$iterations"
    caffe test -model="$out/$net.prototxt" -weights="$out/${net}_iter_$iterations.caffemodel" -iterations="$(short 20 2)" 2>&1 | tee "$out/$net.test"
done
accuracy() { sed -n 's/.*\] accuracy = //p' "$out/$1.test" | tail -1; }

step "drawing the borders"
python examples/hdf5_classification/draw_borders.py "$out" --iterations "$iterations" --picture "$out/borders.png"
finish "$out/borders.png" "logistic regression accuracy $(accuracy train_val) >= 0.7" "net accuracy $(accuracy nonlinear_train_val) >= 0.93"
