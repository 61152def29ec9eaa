#!/usr/bin/env bash
# Faces: nets of four forks learn from pictures of some people, and tell of pairs of pictures of other people whether they show the same one.
# Set before, if you like:
#   LFW      a folder in the layout of LFW, with pairs.txt, in place of drawn people
#   PEOPLE   with LFW: another folder to train on, in it a folder of pictures for each person
#   OUT, SHORT, MPI   see examples/common/start.sh
set -euo pipefail
example=faces
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"

folder=${LFW:-$out/lfw}
if [ -z "${LFW:-}" ]; then
    step "drawing people"
    rm -rf "$folder"
    python examples/faces/make_data.py "$folder" --people "$(short 300 24)" --test "$(short 60 20)" --pictures "$(short 16 6)" --pairs "$(short 150 10)"
fi
step "writing the lists for training"
people=$(python examples/faces/make_lists.py "$folder" --out "$out" ${PEOPLE:+--people "$PEOPLE"})
step "$people people to train on"

nets=()
for net in centerface sphereface amsoftmax triplet; do
    place $net.prototxt ${net}_solver.prototxt
    sed -i "s/num_output: 300 /num_output: $people /" "$out/$net.prototxt"
    iterations=$(short "$(sed -n 's/^max_iter: //p' "$out/${net}_solver.prototxt")" 4)
    sed -i "s/^max_iter: .*/max_iter: $iterations/" "$out/${net}_solver.prototxt"
    step "training $net: $iterations iterations"
    train -solver="$out/${net}_solver.prototxt" ${MPI:+-batch_mode global} # the ranks together have the batch of one process
    nets+=("$net=$out/$net.prototxt,$out/${net}_iter_$iterations.caffemodel")
done

step "verifying pairs of people whom the nets have not seen"
# the nets are small: a second thread would wait more than it works
OMP_NUM_THREADS=1 python examples/faces/verify.py "$folder" --out "$out" "${nets[@]}" 2>"$out/verify.log" | tee "$out/verify.txt"
step "drawing"
python examples/faces/draw.py "$folder" --out "$out/faces.png" \
    CenterLoss="$out/centerface.txt" A-Softmax="$out/sphereface.txt" AM-Softmax="$out/amsoftmax.txt" TripletLoss="$out/triplet.txt"
auc() { sed -n "s/^$1: AUC \(.*\),.*/\1/p" "$out/verify.txt"; }
finish "$out/faces.png" "CenterLoss AUC $(auc centerface) >= 0.95" "A-Softmax AUC $(auc sphereface) >= 0.95" \
    "AM-Softmax AUC $(auc amsoftmax) >= 0.95" "TripletLoss AUC $(auc triplet) >= 0.95"
