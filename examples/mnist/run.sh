#!/usr/bin/env bash
# The autoencoder of digits from nothing: gets MNIST's files or draws digits, converts them, trains, draws what comes back.
# Set before, if you like:
#   MNIST    a folder with MNIST's four files, in place of drawn digits
#   OUT, SHORT, MPI   see examples/common/start.sh
set -euo pipefail
example=mnist
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"
. examples/common/digits.sh

step "converting them"
rm -rf "$out"/mnist_*_lmdb
convert_mnist_data "$digits/train-images-idx3-ubyte" "$digits/train-labels-idx1-ubyte" "$out/mnist_train_lmdb"
convert_mnist_data "$digits/t10k-images-idx3-ubyte" "$digits/t10k-labels-idx1-ubyte" "$out/mnist_test_lmdb"

solver=mnist_autoencoder_solver_nesterov
place mnist_autoencoder.prototxt $solver.prototxt
sed -i "s#examples/mnist/mnist_#$out/mnist_#" "$out"/*.prototxt
iterations=$(short 1200 10)
step "training: $iterations iterations"
train -solver="$out/$solver.prototxt" -set max_iter="$iterations" -set test_iter="[$(short 10 1), $(short 10 1)]" -set random_seed=1

step "drawing what comes back"
prefix=$(sed -n 's/^snapshot_prefix: "\(.*\)"/\1/p' "$out/$solver.prototxt")
ratio=$(python examples/mnist/draw_autoencoder.py "$out" --weights "${prefix}_iter_$iterations.caffemodel" --picture "$out/autoencoder.png")
finish "$out/autoencoder.png" "squared error, of the mean picture's $ratio <= 0.5"
