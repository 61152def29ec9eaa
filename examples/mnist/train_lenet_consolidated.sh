#!/usr/bin/env sh
# LeNet from one file that holds solver and net. Arguments go to `caffe train`. The databases have to be there: create_mnist.sh makes them.
set -e
cd "$(dirname "$0")/../.."
exec "${CAFFE_BIN:-tools}/caffe" train -solver=examples/mnist/lenet_consolidated_solver.prototxt "$@"
