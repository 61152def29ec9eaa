#!/usr/bin/env sh
# cifar10_full: 60000 iterations, then 5000 at a tenth and 5000 at a hundredth of the rate. Arguments go to `caffe train`.
# The databases have to be there: train_quick.sh or create_cifar10.sh makes them.
set -e
cd "$(dirname "$0")/../.."
caffe=${CAFFE_BIN:-tools}/caffe
example=examples/cifar10

"$caffe" train -solver=$example/cifar10_full_solver.prototxt "$@"
"$caffe" train -solver=$example/cifar10_full_solver_lr1.prototxt -snapshot=$example/cifar10_full_iter_60000.solverstate "$@"
"$caffe" train -solver=$example/cifar10_full_solver_lr2.prototxt -snapshot=$example/cifar10_full_iter_65000.solverstate "$@"
