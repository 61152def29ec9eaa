#!/usr/bin/env bash
# Pairs of digits from nothing to a map of the digits: gets MNIST's files or draws digits, makes the pairs, trains, draws the map.
# Set before, if you like:
#   MNIST    a folder with MNIST's four files, in place of drawn digits
#   OUT, SHORT, MPI   see examples/common/start.sh
set -euo pipefail
example=siamese
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"
. examples/common/digits.sh

step "making the pairs"
rm -rf "$out"/mnist_siamese_*_leveldb
for part in train:train test:t10k; do
    name=$digits/${part#*:}
    convert_mnist_siamese_data "$name-images-idx3-ubyte" "$name-labels-idx1-ubyte" "$out/mnist_siamese_${part%:*}_leveldb"
done

place mnist_siamese_train_test.prototxt mnist_siamese_solver.prototxt
sed -i "s#examples/siamese/mnist_siamese#$out/mnist_siamese#" "$out"/*.prototxt
iterations=$(short 1500 20)
step "training: $iterations iterations"
# LevelDB has one reader at a time: on several ranks a reader process reads for all
train -solver="$out/mnist_siamese_solver.prototxt" ${MPI:+-readers 1} -set max_iter="$iterations" -set test_iter="[$(short 10 1)]" -set random_seed=1

step "drawing the map of the digits"
accuracy=$(python examples/siamese/draw_map.py "$digits" --weights "$out/mnist_siamese_iter_$iterations.caffemodel" --picture "$out/siamese.png")
finish "$out/siamese.png" "accuracy of the nearest mean $accuracy >= 0.9"
