#!/usr/bin/env bash
# MobileNet-YOLO from nothing, on the pictures of the example ssd: trains with RegionLoss, tests, merges BatchNorm, draws boxes.
# Settings as for all examples (examples/common/start.sh), and
#   VOC        a folder like VOCdevkit/VOC2007, whose pictures are taken instead; then no figure is needed
#   MAX_ITER   iterations of the training
#   HEAD       yolov3: its third version's loss and output in place of the second's
#   IOU_LOSS   with HEAD=yolov3: GIOU, DIOU, CIOU or IOU in place of squared errors of the boxes
set -euo pipefail
example=yolo
case ${HEAD:-yolov2}${IOU_LOSS:+ $IOU_LOSS} in
    yolov2 | yolov3 | "yolov3 "[GDC]IOU | "yolov3 IOU" | "yolov3 MSE") ;;
    *) echo "yolo: HEAD=${HEAD:-} IOU_LOSS=${IOU_LOSS:-}; needed: HEAD=yolov2, or HEAD=yolov3 with IOU, GIOU, DIOU, CIOU or none" >&2 && exit 1 ;;
esac
source "$(dirname "$0")/../common/start.sh"
PYTHONPATH=$PYTHONPATH:$PWD/examples/ssd # its scripts for lists, merging and drawing
source examples/ssd/create_data.sh

place mobilenet_yolo_solver.prototxt mobilenet_yolo_train_test.prototxt mobilenet_yolo_deploy.prototxt
tested=$out/mobilenet_yolo_train_test.prototxt
deploy=$out/mobilenet_yolo_deploy.prototxt
if [ "${HEAD:-}" = yolov3 ]; then # the map is the same, what is behind it is not
    for net in "$tested" "$deploy"; do
        sed -i '/^# The head$/,$d' "$net"
        head=${net##*/mobilenet_yolo_}
        sed "s/coord_scale: 1$/coord_scale: 1 iou_loss: ${IOU_LOSS:-MSE}/" "examples/yolo/yolov3_head_$head" >>"$net"
    done
fi
classes=$(wc -l <"$out/classes.txt")
sed -i -e "s/num_output: 24 /num_output: $((3 * (5 + classes))) /" -e "s/num_class: 3 /num_class: $classes /" \
    -e "s/num_classes: 3 \(coords\|num_box\)/num_classes: $classes \1/" \
    -e "s/num_classes: 4 background/num_classes: $((classes + 1)) background/" "$tested" "$deploy"

max_iter=${MAX_ITER:-$(short 2000 10)}
pictures=$(wc -l <"$out/test.txt")
step "training $max_iter iterations, then testing"
train -solver "$out/mobilenet_yolo_solver.prototxt" -batch_mode global -set "max_iter=$max_iter" -set "test_interval=$max_iter" \
    -set "test_iter=$(((pictures + 7) / 8))" -set "display=$(((max_iter + 19) / 20))"
weights=$out/mobilenet_yolo_iter_$max_iter.caffemodel
found=$(sed -n 's/.*Test net output #0: detection_eval = //p' "$out/train.log" | tail -1)

step "merging BatchNorm into the convolutions"
export GLOG_minloglevel=2 # the nets of the scripts need no log
merged=$out/merged/mobilenet_yolo_deploy.prototxt
python examples/ssd/merge_bn.py "$weights" "$out/merged.caffemodel" "$deploy" "$merged"
python examples/ssd/compare.py --voc "$voc" --list "$out/test.txt" --tested "$tested" "$deploy" "$weights" "$merged" "$out/merged.caffemodel"

step "drawing the boxes that the merged net finds"
python examples/ssd/draw.py --voc "$voc" --list "$out/test.txt" --tested "$tested" --labels "$out/labelmap.prototxt" \
    "$merged" "$out/merged.caffemodel" "$out/boxes.jpg"
needed=0.75
[ -z "${VOC:-}" ] || needed=0
finish "$out/boxes.jpg" "mAP $found >= $needed"
