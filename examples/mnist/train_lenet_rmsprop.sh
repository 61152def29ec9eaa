#!/usr/bin/env sh
# LeNet on MNIST by RMSProp. Arguments go to `caffe train`. The databases have to be there: create_mnist.sh makes them.
set -e
cd "$(dirname "$0")/../.."
exec "${CAFFE_BIN:-tools}/caffe" train -solver=examples/mnist/lenet_solver_rmsprop.prototxt "$@"
