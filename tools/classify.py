#!/usr/bin/env python3
"""classify.py INPUT_FILE OUTPUT_FILE: class scores of images by a deploy net; --help tells the flags."""

from python_script import run

if __name__ == "__main__":
    run("classify")
