#!/usr/bin/env sh
# The autoencoder of MNIST's digits. Arguments go to `caffe train`. The databases have to be there: create_mnist.sh makes them.
set -e
cd "$(dirname "$0")/../.."
exec "${CAFFE_BIN:-tools}/caffe" train -solver=examples/mnist/mnist_autoencoder_solver_adadelta.prototxt "$@"
