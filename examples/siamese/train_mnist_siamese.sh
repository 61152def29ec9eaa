#!/usr/bin/env sh
# Pairs of digits. Arguments go to `caffe train`. The databases have to be there: create_mnist_siamese.sh makes them.
set -e
cd "$(dirname "$0")/../.."
exec "${CAFFE_BIN:-tools}/caffe" train -solver=examples/siamese/mnist_siamese_solver.prototxt "$@"
