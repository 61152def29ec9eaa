"""The end of an example: its figures beside what was needed, as a line and as result.json.

    python result.py --out FOLDER --example ssd --picture boxes.png --seconds 80 --processor-seconds 120 'mAP 0.87 >= 0.85'

A figure is `NAME VALUE >= NEEDED` or `NAME VALUE <= NEEDED`.
The exit code is 1 where a figure was not reached, except in the short form (`--short`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any


def read_figure(text: str) -> dict[str, Any]:
    """`mAP 0.87 >= 0.85` as name, value, relation, needed and reached.

    A value that is not a finite number is never reached.
    """
    parts = text.split()
    if len(parts) < 4 or parts[-2] not in (">=", "<="):
        raise argparse.ArgumentTypeError(
            f"a figure is 'NAME VALUE >= NEEDED' or with <=, not {text!r}"
        )
    name = " ".join(parts[:-3])
    value = float(parts[-3])
    relation = parts[-2]
    needed = float(parts[-1])
    reached = value >= needed if relation == ">=" else value <= needed
    figure = {"name": name, "value": value, "relation": relation, "needed": needed}
    return figure | {"reached": reached}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="+", type=read_figure)
    parser.add_argument("--out", required=True)
    parser.add_argument("--example", required=True)
    parser.add_argument("--picture", required=True)
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--processor-seconds", type=int, required=True, help="of all processes")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    result = vars(options).copy()
    folder = result.pop("out")
    if not os.path.isfile(options.picture):
        sys.exit(f"{options.example}: the picture {options.picture} was not made")
    with open(os.path.join(folder, "result.json"), "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
    for figure in options.figures:
        verdict = "" if figure["reached"] else ", NOT REACHED"
        if options.short:
            verdict = ", short form"
        bound = f"{figure['relation']} {figure['needed']:g}"
        print(
            f"{options.example}: {figure['name']} {figure['value']:.4g} (needed {bound}{verdict})"
        )
    print(
        f"{options.example}: {options.seconds} s ({options.processor_seconds} s of processor time), picture {options.picture}"
    )
    missed = [figure for figure in options.figures if not figure["reached"]]
    return 1 if missed and not options.short else 0


if __name__ == "__main__":
    sys.exit(main())
