#!/usr/bin/env sh
# cifar10_full with sigmoids. Arguments go to `caffe train`.
set -e
cd "$(dirname "$0")/../.."
exec "${CAFFE_BIN:-tools}/caffe" train -solver=examples/cifar10/cifar10_full_sigmoid_solver.prototxt "$@"
