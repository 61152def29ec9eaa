#!/usr/bin/env bash
# Kinds of motion from nothing to figures: draws videos, computes their flow, trains and tests LRCN, C3D and TSN, draws a picture.
# Set before, if you like:
#   UCF101=FOLDER SPLITS=FOLDER   UCF-101's videos and its lists (ucfTrainTestlist) in place of drawn ones
#   MPI=2                         train on two ranks, which divide each batch
#   SHORT=1                       try every step within seconds
#   OUT=FOLDER                    where all of it goes (default: examples/video/out)
set -euo pipefail
example=video
source "$(dirname "$0")/../common/start.sh"

step "making the data"
if [ -n "${UCF101:-}" ]; then
    python examples/video/make_data.py --out "$out" --ucf101 "$UCF101" --splits "${SPLITS:?is missing: the folder of trainlist01.txt}"
else
    python examples/video/make_data.py --out "$out" --train "$(short 1500 36)" --test "$(short 120 20)"
fi
for net in lrcn c3d tsn; do
    place $net.prototxt ${net}_solver.prototxt
done
classes=$(grep -c . "$out/classes.txt")
sed -i "s/num_output: 5 /num_output: $classes /" "$out"/{lrcn,c3d,tsn}.prototxt
tests=$((($(grep -c . "$out/test_rgb.txt") + 19) / 20)) # batches of 20 videos

# The solver tests at the end, too.
run() {
    step "training $1"
    train -solver "$out/$1_solver.prototxt" ${MPI:+-batch_mode global} -set max_iter="$2" -set test_iter="[$tests]" -set test_interval="$3"
    cp "$out/train.log" "$out/train_to_$1.log"
}
accuracy() { sed -n 's/.* accuracy = //p' "$out/train_to_$1.log" | tail -1; }
run lrcn "$(short 400 4)" "$(short 50 2)"
run c3d "$(short 200 2)" "$(short 50 2)"
run tsn "$(short 150 2)" "$(short 50 2)"

step "drawing what was seen"
python examples/video/draw.py --out "$out"
finish "$out/video.png" "LRCN accuracy $(accuracy lrcn) >= 0.9" "C3D accuracy $(accuracy c3d) >= 0.9" "TSN accuracy $(accuracy tsn) >= 0.9"
