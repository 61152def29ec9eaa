#!/usr/bin/env bash
# Turns a folder of pictures, one folder per class, into the databases that train_caffenet.sh reads, and computes their mean.
#   create_imagenet.sh PICTURES     PICTURES/<class>/<any name>.jpg, .jpeg, .png, .bmp
# Classes are numbered in the order of their names (classes.txt); every tenth picture of a class is kept for testing.
#   TRAIN_LIST, VAL_LIST   lists of your own in place of that (both), lines of `path label`; paths are relative to PICTURES
#   SIZE                   pictures are resized to SIZE x SIZE (default 256)
#   BACKEND                lmdb (default) or leveldb
#   CAFFE_BIN              folder of the programs (default: tools)
set -euo pipefail
pictures=$(cd "${1:?which folder of pictures?  create_imagenet.sh PICTURES}" && pwd)
for name in TRAIN_LIST VAL_LIST; do # relative ones count from here, and what is there stays if one cannot be read
    list=${!name:-}
    [ -n "$list" ] || continue
    [ -r "$list" ] || { echo "$name: cannot read $list" >&2; exit 1; }
    printf -v "$name" %s "$(cd "$(dirname "$list")" && pwd)/$(basename "$list")"
done
[ -z "${TRAIN_LIST:-}" ] || : "${VAL_LIST:?TRAIN_LIST is set, VAL_LIST is not}"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

example=examples/imagenet
tools=${CAFFE_BIN:-tools}
backend=${BACKEND:-lmdb}
size=${SIZE:-256}

if [ -z "${TRAIN_LIST:-}" ]; then
    TRAIN_LIST=$example/train.txt
    VAL_LIST=$example/val.txt
    (cd "$pictures" && find -L . -mindepth 2 -type f \( -iname '*.jpg' -o -iname '*.jpeg' -o -iname '*.png' -o -iname '*.bmp' \) | sed 's|^\./||' | LC_ALL=C sort) |
        awk -F/ -v train="$TRAIN_LIST" -v val="$VAL_LIST" -v classes="$example/classes.txt" '
            BEGIN { printf "" >train; printf "" >val; printf "" >classes; label = -1 }
            $1 != class { class = $1; label++; seen = 0; print class >classes }
            { seen++; print $0 " " label >(seen % 10 == 0 ? val : train) }
            END { printf "%d pictures of %d classes\n", NR, label + 1; exit NR == 0 }' || {
        echo "$pictures: no pictures in folders of classes" >&2
        exit 1
    }
    [ -s "$VAL_LIST" ] || {
        echo "$pictures: no class has ten pictures, so none is left for testing; give TRAIN_LIST and VAL_LIST" >&2
        exit 1
    }
fi

for part in train val; do
    list=$TRAIN_LIST
    [ $part = train ] || list=$VAL_LIST
    echo "Creating the $part $backend..."
    rm -rf "$example/ilsvrc12_${part}_$backend"
    "$tools/convert_imageset" -resize_height="$size" -resize_width="$size" -shuffle -backend="$backend" "$pictures/" "$list" "$example/ilsvrc12_${part}_$backend"
done
BACKEND=$backend "$example/make_imagenet_mean.sh"
echo "Done."
