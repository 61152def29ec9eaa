"""The native part of the stand-in GPU: compiled once for each torch, loaded before torch is imported."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

NATIVE = Path(__file__).resolve().parent / "native"
CACHE = Path(os.environ.get("CAFFEPY_STANDIN", NATIVE.parents[2] / ".standin"))
"""Where what was compiled is kept."""


PARTS = ("libtorch_global_deps.so", "libc10.so", "libtorch_cpu.so", "libc10_cuda.so", "libtorch_cuda.so")
"""Of torch, loaded before the stand-in, which takes the place of what those built for GPUs bring along."""


class NoCompiler(Exception):
    """There is no g++."""


def torch_folder() -> Path:
    """Where torch is installed."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("No module named 'torch'")
    return Path(spec.origin).parent


def version(torch: Path) -> tuple[str, tuple[int, int]]:
    """``2.13.0+cpu`` and (2, 13), without importing it."""
    text = re.search(r"__version__ = '([^']+)'", (torch / "version.py").read_text())
    if text is None:
        raise ValueError(f"{torch / 'version.py'} names no version")
    major, minor = text[1].split(".")[:2]
    return text[1], (int(major), int(minor))


def command(torch: Path, target: Path) -> list[str]:
    """The compiler's; the dialects are those of torch's own headers."""
    _, number = version(torch)
    dialect, strings = "c++20" if number >= (2, 11) else "c++17", int(number >= (2, 7))
    folders = [f"-I{torch / 'include'}", f"-I{torch / 'include/torch/csrc/api/include'}"]
    options = ["-O1", "-w", f"-std={dialect}", f"-D_GLIBCXX_USE_CXX11_ABI={strings}", "-shared", "-fPIC", *folders]
    return ["g++", *options, str(NATIVE / "standin.cpp"), "-o", str(target), f"-L{torch / 'lib'}", "-lc10", "-ltorch_cpu"]


def built() -> Path:
    """The library for the torch that is installed, compiled if it is not there: half a minute or more.

    Errors: NoCompiler; CalledProcessError with what the compiler said.
    """
    torch = torch_folder()
    text = "".join(path.read_text() for path in sorted(NATIVE.iterdir())) + " ".join(command(torch, Path("it")))
    target = CACHE / f"{version(torch)[0]}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
    if target.exists():
        return target
    if shutil.which("g++") is None:
        raise NoCompiler("there is no g++, which compiles the stand-in GPU")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes may want it at once
        if not target.exists():
            with tempfile.TemporaryDirectory(dir=CACHE) as folder:
                aside = Path(folder, target.name)
                subprocess.run(command(torch, aside), check=True, capture_output=True, text=True)
                aside.rename(target)
    return target


def loaded() -> ctypes.CDLL:
    """The library in this process, with the types of its functions."""
    target, folder = built(), torch_folder() / "lib"
    for name in PARTS:
        if (folder / name).exists():
            ctypes.CDLL(str(folder / name), ctypes.RTLD_GLOBAL)
    native = ctypes.CDLL(str(target), ctypes.RTLD_GLOBAL)
    number, event = ctypes.c_int64, ctypes.c_void_p
    for name, result, arguments in (
        ("device", number, []),
        ("set_device", None, [number]),
        ("stream", number, [number]),
        ("set_stream", None, [number, number]),
        ("event", event, []),
        ("drop_event", None, [event]),
        ("record", None, [event, number, number]),
        ("stream_waits", None, [event, number, number]),
        ("host_waits", ctypes.c_int, [event]),
        ("used_on", None, [event, number, number]),
        ("capture", None, [number, number]),
        ("quiet", None, [ctypes.c_int]),
        ("count_wait", None, [ctypes.c_char_p]),
        ("counts", None, [ctypes.POINTER(number)]),
    ):
        function = getattr(native, f"standin_{name}")
        function.restype, function.argtypes = result, arguments
    return native
