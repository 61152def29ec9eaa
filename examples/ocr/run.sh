#!/usr/bin/env bash
# Lines of digits from nothing to what was read: draws them, trains two nets with a CTC loss, tests both, draws a picture.
# Set before, if you like:
#   PICTURES=FOLDER  pictures of your own, NAME-DIGITS.png with 1 to 5 digits, in place of drawn ones
#   MPI=2            train on two ranks, which divide each batch
#   SHORT=1          try every step within seconds
#   OUT=FOLDER       where all of it goes (default: examples/ocr/out)
set -euo pipefail
example=ocr
source "$(dirname "$0")/../common/start.sh"

step "making the data"
if [ -n "${PICTURES:-}" ]; then
    python examples/ocr/make_data.py --out "$out" --pictures "$PICTURES"
else
    python examples/ocr/make_data.py --out "$out" --train "$(short 4000 64)" --test "$(short 512 64)"
fi
place lstm_ctc.prototxt lstm_solver.prototxt blstm_ctc.prototxt blstm_solver.prototxt

iterations=$(short 400 4)
tests=$(short 8 1)
for net in lstm blstm; do
    step "training $net"
    train -solver "$out/${net}_solver.prototxt" ${MPI:+-batch_mode global} -set max_iter="$iterations" -set test_iter="[$tests]"
    step "testing $net"
    weights=$out/${net}_iter_$iterations.caffemodel
    caffe test -model "$out/${net}_ctc.prototxt" -weights "$weights" -iterations "$tests" 2>&1 | tee "$out/$net.test"
done
accuracy() { sed -n 's/.*\] accuracy = //p' "$out/$1.test" | tail -1; }

step "drawing what was read"
python examples/ocr/draw.py --out "$out" --iterations "$iterations"
finish "$out/ocr.png" "LSTM sequence accuracy $(accuracy lstm) >= 0.9" "BLSTM sequence accuracy $(accuracy blstm) >= 0.9"
