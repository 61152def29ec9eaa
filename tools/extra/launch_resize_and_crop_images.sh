#!/bin/sh
# An example to copy: squares of 256 x 256 for all images of a list. Set before, or change here:
#   IMAGES  the folder with the images     LIST  a file with a path below it on each line     OUT  where the squares go
images=${IMAGES:-$HOME/imagenet/train}
exec "$(dirname "$0")/resize_and_crop_images.py" --num_clients=8 --image_lib=opencv --output_side_length=256 \
    --input="${LIST:-$HOME/imagenet/train.txt}" --input_folder="$images/" --output_folder="${OUT:-$images-256}/" "$@"
