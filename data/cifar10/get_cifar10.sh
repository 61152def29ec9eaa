#!/usr/bin/env bash
# Puts CIFAR-10's binary files (data_batch_1..5.bin, test_batch.bin, batches.meta.txt) into this folder.
# They come from the first of these that has them:
#   1. a folder of yours: the argument, or the environment variable CIFAR10_DIR
#   2. what an earlier run has put here
#   3. https://www.cs.toronto.edu/~kriz/cifar.html
#   4. where that cannot be reached: generated pictures in the same format. They are NOT CIFAR-10; the file STAND_IN lies here then.
set -euo pipefail
source=${1:-${CIFAR10_DIR:-}}
[ -z "$source" ] || source=$(cd "$source" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"

url=https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz
md5=c32a1d4ab5d03f1284b67883e8d87530
files="data_batch_1.bin data_batch_2.bin data_batch_3.bin data_batch_4.bin data_batch_5.bin test_batch.bin"

root=$(cd ../.. && pwd)
python=${CAFFEPY_PYTHON:-python3}
[ ! -x "$root/.venv/bin/python" ] || python=$root/.venv/bin/python
run() { PYTHONPATH=$root "$python" -m "caffepy.data.convert.$@"; }

# Whether a folder has all files, each of whole records of 3073 bytes
complete() {
    local file size
    for file in $files; do
        [ -f "$1/$file" ] || return 1
        size=$(wc -c <"$1/$file")
        [ "$size" -gt 0 ] && [ $((size % 3073)) = 0 ] || return 1
    done
}

# Moves or copies the files of a folder here: take COMMAND FOLDER
take() {
    local file
    for file in $files; do
        $1 "$2/$file" "$file.tmp.$$"
        mv "$file.tmp.$$" "$file"
    done
    [ ! -f "$2/batches.meta.txt" ] || cp "$2/batches.meta.txt" .
    rm -f STAND_IN
}

if [ -n "$source" ]; then
    complete "$source" || { echo "get_cifar10.sh: $source lacks CIFAR-10's binary files: $files" >&2 && exit 1; }
    if [ "$source" != "$PWD" ]; then
        echo "Taking the pictures of $source"
        take cp "$source"
    fi
    exit 0
fi
if complete . && [ ! -e STAND_IN ]; then
    echo "CIFAR-10's files are already here."
    exit 0
fi

echo "Downloading $url ..."
if run fetch cifar-10-binary.tar.gz $md5 $url; then
    tar -xzf cifar-10-binary.tar.gz
    take mv cifar-10-batches-bin
    rm -rf cifar-10-binary.tar.gz cifar-10-batches-bin
    echo "CIFAR-10's files are here."
    exit 0
fi
echo "NOTE: CIFAR-10 cannot be downloaded here. If you have its binary files, name their folder: CIFAR10_DIR=/path $0"
if ! complete .; then
    "$python" -c 'import numpy' 2>/dev/null || {
        echo "get_cifar10.sh: pictures in its place are made by $python, which lacks numpy; run tools/dev/venv first" >&2
        exit 1
    }
    echo "Generating pictures in its place ..."
    run standin .
fi
echo "NOTE: the pictures in data/cifar10 are a generated stand-in (see data/cifar10/STAND_IN), NOT CIFAR-10."
