#!/usr/bin/env python3
"""extract_seconds.py INPUT_FILE OUTPUT_FILE: seconds since the training began, for each line of a log that names an iteration."""

from launch import launch

launch("extract_seconds")
