#!/usr/bin/env python3
"""parse_log.py LOGFILE_PATH OUTPUT_DIR [--verbose] [--delimiter ,]: the numbers of a training log as tables."""

from launch import launch

launch("parse_log")
