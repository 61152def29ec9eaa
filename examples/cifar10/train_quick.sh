#!/usr/bin/env bash
# cifar10_quick from nothing: makes .venv, gets the pictures, converts them, computes the mean, trains, tests, draws the curve.
# Arguments go to `caffe train` (-gpu 0). Set before, if you like:
#   MAX_ITER   iterations in all, in place of the recipe's 4000 + 1000; the same four fifths at the first rate
#   LOG        the training log (default: examples/cifar10/cifar10_quick.log); the picture lies beside it
#   LAUNCH     what to start the training with, such as "mpirun -n 2" (mpi_train_quick.sh sets it)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
example=examples/cifar10
log=${LOG:-$example/cifar10_quick.log}

step() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }

tools/dev/venv mpich tools
PATH=$PWD/.venv/bin:$PATH

step "getting the pictures"
data/cifar10/get_cifar10.sh
note=
if [ -e data/cifar10/STAND_IN ]; then
    note="stand-in data, not CIFAR-10"
    step "NOTE: these are generated stand-in pictures, not CIFAR-10; accuracies say nothing about CIFAR-10"
fi

if [ "$(cksum data/cifar10/data_batch_1.bin data/cifar10/test_batch.bin)" != "$(cat $example/.converted 2>/dev/null)" ]; then
    step "converting them and computing the mean"
    $example/create_cifar10.sh
else
    step "the databases are up to date"
fi

# A shortened copy of a solver: shorten SOLVER MAX_ITER SNAPSHOT COPY
shorten() {
    local part=$((total / 5))
    sed -e "s/^max_iter:.*/max_iter: $2/" -e "s/^snapshot:.*/snapshot: $3/" -e "s/^test_interval:.*/test_interval: $((part ? part : 1))/" \
        -e "s/^display:.*/display: $((part > 5 ? part / 5 : 1))/" "$1" >"$4"
}

first=$example/cifar10_quick_solver.prototxt
second=$example/cifar10_quick_solver_lr1.prototxt
total=${MAX_ITER:-5000}
if [ -n "$note" ] && [ -z "${MAX_ITER:-}" ]; then
    total=600
    step "NOTE: the stand-in is easier, so $total iterations are run in place of the recipe's 5000 (MAX_ITER=5000 runs them all)"
fi
middle=$((total * 4 / 5))
if [ "$total" != 5000 ]; then
    shorten $first "$middle" "$middle" $example/cifar10_quick_solver.tmp.prototxt
    shorten $second "$total" "$total" $example/cifar10_quick_solver_lr1.tmp.prototxt
    first=$example/cifar10_quick_solver.tmp.prototxt
    second=$example/cifar10_quick_solver_lr1.tmp.prototxt
fi

step "training: $middle iterations, then $((total - middle)) at a tenth of the rate; the log is $log"
eval "launch=(${LAUNCH:-})"
train() { ${launch[@]+"${launch[@]}"} "$PWD/.venv/bin/caffe" train "$@"; }
trap 'exit 130' INT # an interrupt stops the training with a snapshot; do not go on to the next step
train -solver="$first" "$@" 2>&1 | tee -i "$log"
train -solver="$second" -snapshot="${example}/cifar10_quick_iter_$middle.solverstate" "$@" 2>&1 | tee -i -a "$log"

step "testing the trained net on all test pictures"
tested=$log.test
caffe test -model=$example/cifar10_quick_train_test.prototxt -weights="$example/cifar10_quick_iter_$total.caffemodel.h5" -iterations=100 2>&1 | tee -i "$tested"

picture=${log%.log}.png
caffepy plot "$log" -out="$picture" -title=cifar10_quick -note="$note"
accuracy=$(sed -n 's/.*\] accuracy = //p' "$tested" | tail -1)
step "the curve is $picture, the weights are $example/cifar10_quick_iter_$total.caffemodel.h5"
step "test accuracy ${accuracy:?is missing from $tested}${note:+ ($note)}"
