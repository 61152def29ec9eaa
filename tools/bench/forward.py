#!/usr/bin/env python3
"""Time and peak memory of TEST passes: caffepy, as ``caffepy test`` runs them, beside hand-written PyTorch, onnxruntime and OpenVINO.

The processes and turns are those of `step.py`. PyTorch runs modules in inference mode, the better of contiguous and channels_last
counts. onnxruntime and OpenVINO (where it is installed) run the exported net by themselves. caffepy runs with torch alone and with
``-engine onnxruntime``, ``-engine openvino`` and ``-engine auto``, columns ``+ort``, ``+ov`` and ``auto``. Batches of 1 and of 32 unless
``--batch`` says otherwise. The last lines are ``geomean G worst W`` of caffepy's times by the others', and, last, of that with torch
alone by PyTorch's.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tools.bench.needs import needs

    needs("onnx")

from tools.bench.turns import CAFFEPY, LOOPS, TESTED, Column, Table, arguments, measure, summary

SIZES = (1, 32)
WITH, WITH_OPENVINO, FASTEST = "caffepy+onnxruntime", "caffepy+openvino", "caffepy+auto"
RUNTIME, OPENVINO = "onnxruntime", "openvino"
COLUMNS = (
    Column("net", -10),
    Column("batch", 5),
    Column("caffepy ms", 10, ".2f"),
    Column("+ort ms", 8, ".2f"),
    Column("+ov ms", 8, ".2f"),
    Column("auto ms", 8, ".2f"),
    Column("torch ms", 8, ".2f"),
    Column("best loop", -13),
    Column("ort ms", 8, ".2f"),
    Column("ov ms", 8, ".2f"),
    Column("/torch", 6, ".3f"),
    Column("/ort", 6, ".3f"),
    Column("+ort/ort", 8, ".3f"),
    Column("+ov/ov", 8, ".3f"),
    Column("auto/ort", 8, ".3f"),
    Column("MB", 6, ".0f"),
    Column("torch MB", 8, ".0f"),
    Column("ratio", 6, ".3f"),
)
RATIOS = {
    "torch alone by onnxruntime": (CAFFEPY, RUNTIME),
    "with onnxruntime by onnxruntime": (WITH, RUNTIME),
    "with OpenVINO by OpenVINO": (WITH_OPENVINO, OPENVINO),
    "auto by onnxruntime": (FASTEST, RUNTIME),
}
ABSENT = float("nan")


def main() -> None:
    """Measure the nets asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, nargs="+", default=SIZES, help="pictures in a batch")
    options = arguments(parser, TESTED)
    openvino = find_spec("openvino") is not None
    kinds = [CAFFEPY, WITH, FASTEST, *LOOPS, RUNTIME]
    kinds += [WITH_OPENVINO, OPENVINO] if openvino else []
    table = Table(*COLUMNS)
    by_torch = []
    found_ratios: dict[str, list[float]] = {name: [] for name in RATIOS}
    for net in options.nets or TESTED:
        for batch in options.batch:
            found = measure("test", net, batch, options, kinds)
            best = found.best(LOOPS)
            by_torch.append(found.ratio(CAFFEPY, best))
            for name, (ours, theirs) in RATIOS.items():
                found_ratios[name].append(found.ratio(ours, theirs) if {ours, theirs} <= set(kinds) else ABSENT)
            columns = (CAFFEPY, WITH, WITH_OPENVINO, FASTEST, best, RUNTIME, OPENVINO)
            times: list[object] = [found.ms(kind) if kind in kinds else ABSENT for kind in columns]
            times.insert(columns.index(best) + 1, best)
            ours_mb, best_mb = found.peaks[CAFFEPY], found.peaks[best]
            ratios = [each[-1] for each in found_ratios.values()]
            table.add(net, batch, *times, by_torch[-1], *ratios, ours_mb, best_mb, ours_mb / best_mb)
    for name, ratios in found_ratios.items():
        print(f"{name}: {summary(ratios)}")
    print(summary(by_torch))


if __name__ == "__main__":
    main()
