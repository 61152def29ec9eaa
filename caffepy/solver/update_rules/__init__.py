"""Caffe's solver types, rates and schedules: arithmetic only."""
