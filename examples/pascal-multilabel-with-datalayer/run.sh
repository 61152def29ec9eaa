#!/usr/bin/env bash
# Pictures with several labels each, by a data layer in Python: draws pictures of shapes, writes the net, trains, scores.
# Set before, if you like:
#   VOC      a folder in VOC's layout (VOCdevkit/VOC2012), with ImageSets/Main/{train,val}.txt, in place of drawn shapes
#   OUT, SHORT, MPI   see examples/common/start.sh
set -euo pipefail
example=pascal-multilabel-with-datalayer
. "$(dirname "${BASH_SOURCE[0]}")/../common/start.sh"
export PYTHONPATH=$PWD/examples/$example/pylayers:$PYTHONPATH

voc=${VOC:-$out/voc}
classes="aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person pottedplant sheep sofa train tvmonitor"
if [ -z "${VOC:-}" ]; then
    classes="circle square triangle cross"
    step "drawing pictures of shapes"
    rm -rf "$voc"
    python examples/$example/make_data.py "$voc" --train "$(short 2000 64)" --test "$(short 400 32)"
fi
step "writing the nets"
place solver.prototxt
python examples/$example/write_net.py "$out" --pascal-root "$voc" --classes "$classes"
iterations=$(short 1500 4)
step "training: $iterations iterations"
train -solver="$out/solver.prototxt" -set max_iter="$iterations" -set test_iter="[$(short 10 1)]"

step "scoring"
read -r share without <<<"$(python examples/$example/score.py "$out/valnet.prototxt" "$out/multilabel_iter_$iterations.caffemodel" \
    --classes "$classes" --batches "$(short 12 1)" --picture "$out/multilabel.png")"
step "a net that says no to all labels has $without of them right"
finish "$out/multilabel.png" "right labels $share >= 0.9"
