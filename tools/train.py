#!/usr/bin/env python3
"""train.py --solver FILE: train with several processes; --help tells the flags."""

from python_script import run

if __name__ == "__main__":
    run("train")
