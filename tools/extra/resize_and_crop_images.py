#!/usr/bin/env python3
"""resize_and_crop_images.py --input LIST --input_folder FOLDER --output_folder FOLDER: images of one size, cut square."""

from launch import launch

launch("resize_and_crop_images")
