"""``convolutions``: Convolution and Deconvolution layers of every form keep within their memory, and give one gradient in any order of it.

``python -m tools.campaign.convolutions -n 1000 -seed 1`` computes so many random layers forward and backward for each of the instruction
sets that oneDNN can be held to and for 1 and 2 threads: 1x1 kernels, strides, groups, dilation, few channels, one to three spatial axes,
channels last or not. Where there is a C compiler, every tensor and buffer of torch's has borders (``borders.c``), and a layer counts as
``broken`` that writes on them; else only those are found that crash.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tools.campaign import report

INSTRUCTIONS = ("SSE41", "AVX2", "AVX512_CORE", "DEFAULT")
CHANNELS = (*range(1, 18), 24, 31, 32, 33, 48, 64, 100)
SIZES = (1, 2, 3, 5, 7, 10, 14, 20, 28)
LARGEST = 300_000
"""Numbers of a bottom or top, about."""
AT_ONCE = 25
"""Layers in one process, which is forked from one that has not computed anything."""
TOLERANCE = 1e-3
"""Between orders in memory, of the largest gradient: what a wrong one never keeps."""


@dataclass(frozen=True)
class Form:
    """One layer and its bottom."""

    type: str
    fields: str
    shape: tuple[int, ...]
    channels_last: bool
    odd: bool = False
    """With the channels last, axes of length 1 have strides that another shape has left, as behind a Slice or Crop."""

    def __str__(self) -> str:
        order = f", channels last{', odd strides' if self.odd else ''}" if self.channels_last else ""
        return f"{self.type} {{ {self.fields} }} on {self.shape}{order}"


def random_form(random: Random) -> Form:
    """Half of all are what oneDNN has kernels of its own for: 1x1 kernels with a stride that divides the bottom."""
    axes, group = random.choice((1, 2, 2, 2, 2, 3)), random.choice((1, 1, 1, 2, 3))
    even = random.random() < 0.5
    stride = [random.choice((1, 2, 2, 3)) for _ in range(axes)]
    kernel, pad, dilation = [1] * axes, [0] * axes, [1] * axes
    if not even:
        kernel, pad, dilation = ([random.choice(of) for _ in range(axes)] for of in ((1, 1, 2, 3, 5), (0, 0, 0, 1), (1, 1, 1, 2)))
    items, channels, outputs = random.choice((1, 2, 3, 8)), group * random.choice(CHANNELS), group * random.choice(CHANNELS)
    size = [random.choice(SIZES) * s + 2 * (k - 1) * d for s, k, d in zip(stride, kernel, dilation)]
    while items * max(channels, outputs) * _product(size) > LARGEST:
        if max(size) > 12:
            size = [s * max(1, n // s // 2) + 2 * (k - 1) * d for n, s, k, d in zip(size, stride, kernel, dilation)]
        items, channels, outputs = max(1, items // 2), group * max(1, channels // group // 2), group * max(1, outputs // group // 2)
    each = (("kernel_size", kernel), ("stride", stride), ("pad", pad), ("dilation", dilation))
    fields = " ".join(f"{name}: {n}" for name, values in each for n in values)
    kind = random.choice(("Convolution", "Convolution", "Deconvolution"))
    return Form(
        kind, f"num_output: {outputs} group: {group} {fields}", (items, channels, *size), random.random() < 0.7, random.random() < 0.3
    )


def odd_strides(x: Any) -> Any:
    """``x`` in the same memory; the strides of its axes of length 1 mean nothing, and are others."""
    import torch

    strides = [3 * stride + 1 if length == 1 else stride for length, stride in zip(x.shape, x.stride())]
    return torch.as_strided(x, x.shape, strides)


def _product(size: list[int]) -> int:
    total = 1
    for n in size:
        total *= n
    return total


def gradients(form: Form, *, channels_last: bool) -> list[Any]:
    """Those of the bottom and the blobs, for top diffs of small whole numbers."""
    import torch

    from caffepy.layers.core.base import TRAIN, Run
    from caffepy.layers.core.random import CaffeRandom
    from caffepy.layers.core.registry import layer_class
    from caffepy.proto import caffe_pb2
    from caffepy.proto.text import parse

    message = caffe_pb2.LayerParameter()
    parse(f'name: "l" type: "{form.type}" bottom: "x" top: "y" convolution_param {{ {form.fields} }}', message, file="form")
    layer = layer_class(form.type)(message, TRAIN)
    layer.setup([form.shape])
    layer.reshape([form.shape])

    def placed(shape: tuple[int, ...], *, odd: bool = False) -> Any:
        values = torch.randint(-3, 4, shape).float()
        order = {4: torch.channels_last, 5: torch.channels_last_3d}.get(len(shape)) if channels_last else None
        values = values.contiguous(memory_format=order or torch.contiguous_format)
        return odd_strides(values) if channels_last and odd else values

    torch.manual_seed(1)
    bottom = placed(form.shape, odd=form.odd)
    given = [x.requires_grad_() for x in (bottom, *(placed(spec.shape) for spec in layer.blobs))]
    (top,) = layer.prepared([form.shape])(given[:1], given[1:], Run(TRAIN, CaffeRandom(1)))
    return list(torch.autograd.grad(top, given, placed(tuple(top.shape), odd=form.odd)))


def judge(form: Form, broken: Callable[[], int]) -> str:
    """What is wrong with a layer; nothing as a rule."""
    from caffepy.errors import LayerError

    try:
        plain, other = (gradients(form, channels_last=last) for last in (False, form.channels_last))
    except LayerError:  # a padding that leaves no top
        return ""
    unlike = any(not float((a - b).abs().max()) <= TOLERANCE * (1 + float(a.abs().max())) for a, b in zip(plain, other))
    del plain, other
    return "broken" if broken() else "unlike" if unlike else ""


def part(n: int, seed: int) -> int:
    """The layers of one instruction set and number of threads, told on standard output: a word, then the layer."""
    import torch  # before anything is forked

    from tools.campaign.children import in_child

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    found: Any = getattr(ctypes.CDLL(None), "borders_broken", None)
    broken = found or (lambda: 0)
    random = Random(seed)
    forms = [random_form(random) for _ in range(n)]

    def several(start: int, stop: int) -> None:
        def judged(at: Callable[[str], object]) -> list[tuple[str, str]]:
            return [(judge(form, broken), str(form)) for form in forms[start:stop]]

        ended = in_child(judged)
        if ended.value is not None:
            for word, text in ended.value:
                if word:
                    print(f"{word}: {text}", flush=True)
        elif stop - start == 1:
            print(f"{'hang' if ended.hang else 'crash'}: {forms[start]}: {ended.crash or ended.error}", flush=True)
        else:
            middle = (start + stop) // 2
            several(start, middle)
            several(middle, stop)

    for start in range(0, n, AT_ONCE):
        several(start, min(n, start + AT_ONCE))
    return 0


def compiled(folder: str) -> str:
    """The library of ``borders.c``, or nothing where it cannot be made."""
    compiler, library = shutil.which("cc"), str(Path(folder) / "borders.so")
    if not compiler or not sys.platform.startswith("linux"):
        return ""
    source = Path(__file__).with_name("borders.c")
    made = subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, str(source)], capture_output=True, check=False)
    return library if made.returncode == 0 else ""


def main() -> int:
    """The campaign's exit code."""
    parser = report.options(__doc__ or "", n=1000, what="random layers for each instruction set and number of threads")
    parser.add_argument("-isa", "--isa", nargs="+", default=INSTRUCTIONS, help=f"values of ONEDNN_MAX_CPU_ISA (default: {INSTRUCTIONS})")
    parser.add_argument("-threads", "--threads", nargs="+", type=int, default=[1, 2], help="numbers of threads (default: 1 2)")
    parser.add_argument("-part", "--part", action="store_true", help="as the environment says, with no figures")
    asked = parser.parse_args()
    if asked.part:
        return part(asked.n, asked.seed)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        for isa in asked.isa:
            for threads in asked.threads:
                environ = os.environ | {"ONEDNN_MAX_CPU_ISA": isa, "OMP_NUM_THREADS": str(threads), "LD_PRELOAD": library}
                command = [sys.executable, "-m", "tools.campaign.convolutions", "-part", "-n", str(asked.n), "-seed", str(asked.seed)]
                done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True)
                for text in done.stdout.splitlines():
                    print(f"{isa}, {threads} thread(s): {text}", flush=True)
                    found[text.split(":")[0]] += 1
    layers = asked.n * len(asked.isa) * len(asked.threads)
    words = {"broken": found["broken"] if library else "not looked at"}
    figures: Any = {"layers": layers, **words, "unlike": found["unlike"], "crashes": found["crash"], "hangs": found["hang"]}
    report.line("convolutions", asked.seed, **figures)
    return 1 if sum(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
