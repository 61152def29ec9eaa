#!/usr/bin/env sh
# Turns MNIST's four files in data/mnist into examples/mnist/mnist_{train,test}_lmdb.
# CAFFE_BIN: folder of the programs (default: tools); BACKEND: lmdb (default) or leveldb.
set -e
cd "$(dirname "$0")/../.."

example=examples/mnist
data=data/mnist
backend=${BACKEND:-lmdb}
convert=${CAFFE_BIN:-tools}/convert_mnist_data

echo "Creating $backend..."
rm -rf "$example/mnist_train_$backend" "$example/mnist_test_$backend"
"$convert" "$data/train-images-idx3-ubyte" "$data/train-labels-idx1-ubyte" "$example/mnist_train_$backend" -backend="$backend"
"$convert" "$data/t10k-images-idx3-ubyte" "$data/t10k-labels-idx1-ubyte" "$example/mnist_test_$backend" -backend="$backend"
echo "Done."
