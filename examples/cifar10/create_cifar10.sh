#!/usr/bin/env sh
# Turns the binary files of data/cifar10 into examples/cifar10/cifar10_{train,test}_lmdb and mean.binaryproto.
# CAFFE_BIN: folder of the programs (default: tools); DBTYPE: lmdb (default) or leveldb.
set -e
cd "$(dirname "$0")/../.."

example=examples/cifar10
data=data/cifar10
dbtype=${DBTYPE:-lmdb}
tools=${CAFFE_BIN:-tools}

echo "Creating $dbtype..."
rm -rf "$example/cifar10_train_$dbtype" "$example/cifar10_test_$dbtype" "$example/mean.binaryproto" "$example/.converted"
"$tools/convert_cifar_data" "$data" "$example" "$dbtype"

echo "Computing image mean..."
"$tools/compute_image_mean" -backend="$dbtype" "$example/cifar10_train_$dbtype" "$example/mean.binaryproto"

# what was converted, so that train_quick.sh can tell whether it still is what lies in data/cifar10
cksum "$data/data_batch_1.bin" "$data/test_batch.bin" >"$example/.converted"
echo "Done."
