#!/usr/bin/env bash
# Puts MNIST's four files into this folder, unpacked: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-...
# They come from a folder of yours (the argument, or the environment variable MNIST_DIR; packed .gz or not), else from the internet.
set -euo pipefail
source=${1:-${MNIST_DIR:-}}
[ -z "$source" ] || source=$(cd "$source" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"

mirrors="https://storage.googleapis.com/cvdf-datasets/mnist https://ossci-datasets.s3.amazonaws.com/mnist http://yann.lecun.com/exdb/mnist"
files="train-images-idx3-ubyte:f68b3c2dcbeaaa9fbdd348bbdeb94873 train-labels-idx1-ubyte:d53e105ee54ea40749a09fcbcd1e9432
    t10k-images-idx3-ubyte:9fb629c4189551a2d022fa330f9573f3 t10k-labels-idx1-ubyte:ec29112dd5afa0611ce80d1b7f02629c"

root=$(cd ../.. && pwd)
python=${CAFFEPY_PYTHON:-python3}
[ ! -x "$root/.venv/bin/python" ] || python=$root/.venv/bin/python

for entry in $files; do
    file=${entry%:*} md5=${entry#*:}
    if [ -n "$source" ] && [ -f "$source/$file" ]; then
        [ "$source" = "$PWD" ] || cp "$source/$file" "$file"
    elif [ -n "$source" ] && [ -f "$source/$file.gz" ]; then
        gunzip -c "$source/$file.gz" >"$file.tmp.$$"
        mv "$file.tmp.$$" "$file"
    elif [ -n "$source" ]; then
        echo "get_mnist.sh: $source has no $file" >&2
        exit 1
    elif [ ! -f "$file" ]; then
        echo "Downloading $file ..."
        urls=()
        for mirror in $mirrors; do urls+=("$mirror/$file.gz"); done
        if ! PYTHONPATH=$root "$python" -m caffepy.data.convert.fetch "$file.gz" "$md5" "${urls[@]}"; then
            echo "get_mnist.sh: cannot download MNIST. If you have its files, name their folder: MNIST_DIR=/path $0" >&2
            exit 1
        fi
        gunzip -f "$file.gz"
    fi
done
echo "MNIST's files are here."
