#!/usr/bin/env python3
"""detect.py INPUT_FILE OUTPUT_FILE: class scores of windows of images by a deploy net; --help tells the flags."""

from python_script import run

if __name__ == "__main__":
    run("detect")
