#!/usr/bin/env sh
# The mean picture of the training database. BACKEND: lmdb (default) or leveldb. CAFFE_BIN: folder of the programs (default: tools).
set -e
cd "$(dirname "$0")/../.."
backend=${BACKEND:-lmdb}
"${CAFFE_BIN:-tools}/compute_image_mean" -backend="$backend" "examples/imagenet/ilsvrc12_train_$backend" examples/imagenet/imagenet_mean.binaryproto
