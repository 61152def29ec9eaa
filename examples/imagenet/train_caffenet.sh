#!/usr/bin/env sh
# CaffeNet on your own pictures. Arguments go to `caffe train` (-gpu 0). create_imagenet.sh makes the databases.
set -e
cd "$(dirname "$0")/../.."
exec "${CAFFE_BIN:-tools}/caffe" train -solver=examples/imagenet/caffenet_solver.prototxt "$@"
