#!/usr/bin/env python3
"""draw_net.py NET PICTURE: a picture of a net's prototxt; --help tells the flags."""

from python_script import run

if __name__ == "__main__":
    run("draw_net")
