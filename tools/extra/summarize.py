#!/usr/bin/env python3
"""summarize.py NET: a net's prototxt as a table."""

from launch import launch

launch("summarize")
