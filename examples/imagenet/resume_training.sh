#!/usr/bin/env sh
# Goes on from the newest snapshot of train_caffenet.sh. Arguments go to `caffe train`.
set -e
cd "$(dirname "$0")/../.."
newest=$(ls -t examples/imagenet/caffenet_train_iter_*.solverstate* 2>/dev/null | head -1)
[ -n "$newest" ] || { echo "no snapshot examples/imagenet/caffenet_train_iter_*.solverstate yet" >&2; exit 1; }
exec "${CAFFE_BIN:-tools}/caffe" train -solver=examples/imagenet/caffenet_solver.prototxt -snapshot="$newest" "$@"
