#!/usr/bin/env bash
# Sourced by the run.sh of ssd and yolo: from VOC's layout to databases, as SSD's create_list.sh and create_data.sh.
# Takes VOC=/folder/of/VOCdevkit/VOC2007, or makes pictures of shapes in that layout. Gives $voc, and in $out:
# labelmap.prototxt, test_name_size.txt, trainval_lmdb, test_lmdb.
voc=${VOC:-$out/VOCdevkit/VOC2007}
if [ -z "${VOC:-}" ]; then
    step "drawing pictures of shapes in VOC's layout"
    rm -rf "$voc"
    python examples/ssd/make_data.py "$voc" --train "$(short 600 40)" --test "$(short 200 24)"
fi

step "listing the pictures, and converting them"
python examples/ssd/create_list.py "$voc" "$out"
create_label_map --include_background "$out/classes.txt" "$out/labelmap.prototxt"
get_image_size "$voc/" "$out/test.txt" "$out/test_name_size.txt"
for set in trainval test; do
    rm -rf "$out/${set}_lmdb"
    convert_annoset --anno_type=detection --label_type=xml --label_map_file="$out/labelmap.prototxt" --check_label \
        --encode_type=jpg --encoded "$voc/" "$out/$set.txt" "$out/${set}_lmdb"
done
