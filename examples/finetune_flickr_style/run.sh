#!/usr/bin/env bash
# Fine-tuning: a net learns shapes from many pictures; its weights then learn shapes in two styles from few, beside a net that starts from nothing.
# Set before, if you like:
#   OUT, SHORT, MPI   see examples/common/start.sh
set -euo pipefail
example=finetune_flickr_style
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"

step "drawing the pictures of both tasks"
rm -rf "$out/data"
python examples/$example/make_data.py "$out/data" --shapes "$(short 2000 64)" --styles "$(short 200 40)" --test "$(short 400 50)"
place pretrain_train_val.prototxt pretrain_solver.prototxt train_val.prototxt solver.prototxt

first=$(short 500 3)
second=$(short 120 3)
tests="[$(short 8 1)]"
step "the first task: $first iterations"
train -solver="$out/pretrain_solver.prototxt" -set max_iter="$first" -set test_iter="$tests"
step "fine-tuning: $second iterations"
train -solver="$out/solver.prototxt" -weights="$out/pretrain_train_val_iter_$first.caffemodel" \
    -set max_iter="$second" -set test_iter="$tests" -set snapshot_prefix="$out/finetuned"
step "the same from nothing, at the first task's rate"
train -solver="$out/solver.prototxt" -set base_lr=0.01 -set max_iter="$second" -set test_iter="$tests" -set snapshot_prefix="$out/scratch"

score() {
    caffe test -model="$out/train_val.prototxt" -weights="$out/$1_iter_$second.caffemodel" -iterations="$(short 8 1)" 2>&1 |
        tee "$out/$1.test" | sed -n 's/.*\] accuracy = //p' | tail -1
}
finetuned=$(score finetuned)
scratch=$(score scratch)
step "right: $finetuned fine-tuned, $scratch from nothing"
python examples/$example/draw.py "$out" --iterations "$second" --picture "$out/styles.png"
finish "$out/styles.png" "accuracy $finetuned >= 0.7" "accuracy from nothing $scratch <= $(short "$finetuned" 1)"
