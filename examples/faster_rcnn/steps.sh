# Sourced by run.sh of faster_rcnn and of rfcn, after common/start.sh: the steps that both take.
#   prepare SOLVER NET...   pictures, settings and prototxts in $out
#   finish_weights NET      $out/NAME_final.caffemodel, for testing, of the last snapshot
#   detect NET ARGS...      average precisions to $out/NET.txt; arguments go to test_net.py
#   precision NET           the mean of them
export PYTHONPATH=$PWD/examples/faster_rcnn/lib:$PYTHONPATH
export RCNN_CFG=$out/settings.yml

prepare() {
    place settings.yml "$@"
    if [ -n "${VOC:-}" ]; then
        step "taking the pictures of $VOC"
        python examples/faster_rcnn/set_classes.py "$VOC" "$out/settings.yml" "${@/#/$out/}"
    else
        step "drawing the pictures"
        python examples/faster_rcnn/make_data.py "$out/VOC2007" --train "$(short 400 8)" --test "$(short 100 4)"
    fi
    if [ -n "${SHORT:-}" ]; then
        sed -i.whole -e 's/^max_iter:.*/max_iter: 12/' -e 's/^display:.*/display: 4/' "$out/$1"
    fi
}

iterations() { sed -n 's/^max_iter: //p' "$out/solver.prototxt"; }

finish_weights() {
    python -m fast_rcnn.unnormalize "$out/$1" "$out/${example}_iter_$(iterations).caffemodel" "$out/${example}_final.caffemodel"
}

detect() {
    python examples/faster_rcnn/test_net.py "$out/$1" "$out/${example}_final.caffemodel" "${@:2}" | tee "$out/${1%.prototxt}.txt"
}

precision() { sed -n 's/^mAP //p' "$out/${1%.prototxt}.txt"; }
