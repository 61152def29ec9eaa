#!/usr/bin/env python3
"""plot_training_log.py CHART_TYPE PICTURE LOG...: one of eight charts of training logs."""

from launch import launch

launch("plot_training_log")
