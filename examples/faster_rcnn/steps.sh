#!/usr/bin/env bash
# Sourced by run.sh of faster_rcnn and of rfcn, after common/start.sh: the steps that both take.
#   prepare NET...          pictures, settings and prototxts in $out
#   pretrain                $out/trunk.caffemodel: the trunk, trained as a classifier
#   finish_weights NET      $out/NAME_final.caffemodel, for testing, of the last snapshot
#   detect NET... ARGS...   average precisions, printed and in $out/detected.txt; arguments go to test_net.py
#   precision NET           the mean of them
export PYTHONPATH=$PWD/examples/faster_rcnn/lib:$PYTHONPATH
export RCNN_CFG=$out/settings.yml
# Threads that wait shall sleep soon, as `caffe` has it. In scripts they would spin for milliseconds, which slows a machine that others use.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-PASSIVE} GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-2000}

prepare() {
    place settings.yml solver.prototxt "$@"
    (example=faster_rcnn && place pretrain.prototxt pretrain_solver.prototxt)
    shorten solver.prototxt pretrain_solver.prototxt
    if [ -n "${VOC:-}" ]; then
        step "taking the pictures of $VOC"
        python examples/faster_rcnn/set_classes.py "$VOC" "$out/settings.yml" "${@/#/$out/}"
        python examples/faster_rcnn/make_data.py "$out" --train 0 --test 0 --small "$(short 3000 64)"
    else
        step "drawing the pictures"
        python examples/faster_rcnn/make_data.py "$out" --train "$(short 400 8)" --test "$(short 100 4)" --small "$(short 3000 64)"
    fi
}

shorten() {
    local file
    [ -n "${SHORT:-}" ] || return 0
    for file in "$@"; do
        sed -i.whole -e 's/^max_iter:.*/max_iter: 12/' -e 's/^display:.*/display: 4/' "$out/$file"
    done
}

iterations() { sed -n 's/^max_iter: //p' "$out/$1"; }

pretrain() {
    train -solver "$out/pretrain_solver.prototxt"
    mv "$out/trunk_iter_$(iterations pretrain_solver.prototxt).caffemodel" "$out/trunk.caffemodel"
}

finish_weights() {
    GLOG_minloglevel=1 python -m fast_rcnn.unnormalize "$out/$1" "$out/${example}_iter_$(iterations solver.prototxt).caffemodel" "$out/${example}_final.caffemodel"
}

detect() {
    GLOG_minloglevel=1 python examples/faster_rcnn/test_net.py "$out/${example}_final.caffemodel" "$@" | tee "$out/detected.txt"
}

precision() { sed -n "s#^$out/$1: mAP ##p" "$out/detected.txt"; }
