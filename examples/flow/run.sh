#!/usr/bin/env bash
# Optical flow: FlowNet-C learns from pairs of pictures where each pixel goes, then a second net refines what it finds, as in FlowNet2.
# Set before, if you like:
#   CHAIRS          a folder in the layout of FlyingChairs, in place of drawn pairs
#   HEIGHT, WIDTH   with CHAIRS: the size that its pictures get, multiples of 8 (default 96 and 128)
#   OUT, SHORT, MPI see examples/common/start.sh
set -euo pipefail
example=flow
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"

folder=${CHAIRS:-$out/chairs}
height=64 width=64
if [ -z "${CHAIRS:-}" ]; then
    step "drawing pairs of pictures"
    rm -rf "$folder"
    python examples/flow/make_data.py "$folder" --train "$(short 2000 16)" --test "$(short 100 4)"
else
    height=${HEIGHT:-96} width=${WIDTH:-128}
fi
step "writing the lists, and the flows as HDF5"
python examples/flow/make_lists.py "$folder" --out "$out" --height $height --width $width

weights=()
for net in flownet_c flownet_cs; do
    place $net.prototxt ${net}_solver.prototxt
    sed -i "s/dim: 64 dim: 64/dim: $height dim: $width/; s/new_height: 64 new_width: 64/new_height: $height new_width: $width/" "$out/$net.prototxt"
    iterations=$(short "$(sed -n 's/^max_iter: //p' "$out/${net}_solver.prototxt")" 3)
    sed -i "s/^max_iter: .*/max_iter: $iterations/" "$out/${net}_solver.prototxt"
    step "training $net: $iterations iterations"
    # the ranks together have the batch of one process
    train -solver="$out/${net}_solver.prototxt" ${MPI:+-batch_mode global} ${weights[@]+"${weights[@]}"}
    weights=(-weights="$out/${net}_iter_$iterations.caffemodel")
    step "finding the flow of pairs that it has not seen"
    python examples/flow/predict.py "$folder" --list "$out/test.txt" --model "$out/$net.prototxt" --weights "$out/${net}_iter_$iterations.caffemodel" \
        --out "$out/$net" 2>"$out/$net.predict.log" | tee "$out/$net.txt"
done

step "drawing"
python examples/flow/draw.py "$folder" --list "$out/test.txt" --out "$out/flow.png" FlowNet-C="$out/flownet_c" FlowNet-CS="$out/flownet_cs"
error() { sed -n 's/^end-point error \(.*\),.*/\1/p' "$out/$1.txt"; }
finish "$out/flow.png" "FlowNet-C error $(error flownet_c) <= 1" "FlowNet-CS error $(error flownet_cs) <= 1"
