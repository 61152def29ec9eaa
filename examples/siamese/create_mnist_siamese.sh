#!/usr/bin/env sh
# Turns MNIST's four files in data/mnist into databases of pairs: examples/siamese/mnist_siamese_{train,test}_leveldb.
# CAFFE_BIN: folder of the programs (default: tools).
set -e
cd "$(dirname "$0")/../.."

example=examples/siamese
data=data/mnist
convert=${CAFFE_BIN:-tools}/convert_mnist_siamese_data

echo "Creating leveldb..."
rm -rf "$example/mnist_siamese_train_leveldb" "$example/mnist_siamese_test_leveldb"
"$convert" "$data/train-images-idx3-ubyte" "$data/train-labels-idx1-ubyte" "$example/mnist_siamese_train_leveldb"
"$convert" "$data/t10k-images-idx3-ubyte" "$data/t10k-labels-idx1-ubyte" "$example/mnist_siamese_test_leveldb"
echo "Done."
