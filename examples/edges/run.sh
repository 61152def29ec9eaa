#!/usr/bin/env bash
# Edges by HED, from nothing to the F-measure and a picture.
#   BSDS=FOLDER run.sh     FOLDER is HED-BSDS with train_pair.lst and test_pair.lst
# examples/common/start.sh has SHORT, MPI and OUT.
set -euo pipefail
example=edges
source "$(dirname "$0")/../common/start.sh"
here=examples/$example

step "drawing pictures and their outlines"
rm -rf "$out/data" "$out"/hed_iter_*
if [ -n "${BSDS:-}" ]; then
    ln -s "$(realpath "$BSDS")" "$out/data"
else
    python $here/make_data.py "$out/data" --train "$(short 200 8)" --test "$(short 40 4)"
fi

step "training"
place train_val.prototxt solver.prototxt
train -solver "$out/solver.prototxt" $(short '' '-set max_iter=4')

step "testing"
python $here/evaluate.py "$out/train_val.prototxt" "$(ls -t "$out"/hed_iter_*.caffemodel | head -1)" "$out/data" "$out"
read -r f _ <"$out/ods.txt"
finish "$out/edges.png" "ODS F $f >= 0.8"
