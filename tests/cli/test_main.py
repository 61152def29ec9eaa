"""The programs: how commands are found, how they end, what failures look like."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import click
import pytest

from caffepy.cli.commands import ACTIONS, COMMANDS, IGNORED, REFUSED, USAGE, Entry
from caffepy.cli.main import run
from caffepy.cli.options import CaffeFlags, caffe_flags
from caffepy.errors import NetError


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Two commands of the test's own: ``probe`` with Caffe's flags, ``probe_files`` with arguments; what they were given."""
    given: list[Any] = []

    @click.command("probe")
    @caffe_flags
    @click.option("-engine", "--engine", default="whole")
    def probe(*, flags: CaffeFlags, engine: str) -> None:
        given.append((flags, engine))

    @click.command("probe_files")
    @click.option("-shuffle/-noshuffle", "--shuffle/--noshuffle", default=False, help="Shuffle the images.")
    @click.option("-backend", "--backend", default="lmdb")
    @click.option("-resize_width", type=int, default=0)
    @click.argument("root")
    @click.argument("list_file")
    def probe_files(**values: Any) -> int:
        given.append(values)
        return 3

    for command in (probe, probe_files):
        module = types.ModuleType(f"caffepy.cli.{command.name}")
        module.command = command
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(COMMANDS, str(command.name), Entry(str(command.name), "Probes", "a probe", usage_exit=0))
    return given


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make ``probe_fails`` a command that raises ``error``."""

    @click.command()
    def command() -> None:
        raise error

    module = types.ModuleType("caffepy.cli.probe_fails")
    module.command = command
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(COMMANDS, "probe_fails", Entry("probe_fails", "Probes", "fails"))


@pytest.mark.parametrize(
    "words",
    [
        ["probe", "-solver", "s", "-weights=w", "-level", "-1", "-engine=layerwise"],
        ["-solver", "s", "probe", "--weights", "w", "--level=-1", "--engine", "layerwise"],
        ["--solver=s", "-engine", "layerwise", "--weights=w", "-level=-1", "probe"],
    ],
)
def test_flags_stand_before_and_after_the_command(seen: list[Any], words: list[str]) -> None:
    assert run("caffe", words) == 0
    flags, engine = seen[0]
    assert (flags.solver, flags.weights, flags.level, flags.iterations, engine) == ("s", "w", -1, 50, "layerwise")
    assert flags.stages == ("",)


def test_a_flag_named_as_a_command_is_not_the_command(seen: list[Any]) -> None:
    assert run("caffe", ["-solver", "train", "probe"]) == 0
    assert seen[0][0].solver == "train"


def test_arguments_switches_and_exit_code(seen: list[Any]) -> None:
    assert run("caffepy", ["probe-files", "a/", "-shuffle", "list", "-resize_width", "5", "-backend", "x", "--backend=leveldb"]) == 3
    assert run("probe_files", ["--shuffle", "a/", "list", "-noshuffle"]) == 3
    assert seen == [
        {"shuffle": True, "backend": "leveldb", "resize_width": 5, "root": "a/", "list_file": "list"},
        {"shuffle": False, "backend": "lmdb", "resize_width": 0, "root": "a/", "list_file": "list"},
    ]


def test_missing_arguments_show_the_usage(seen: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("probe_files", []) == 0  # Caffe's own converters end so
    assert run("caffepy", ["probe_files", "a/"]) == 1
    out = capsys.readouterr().out
    assert "usage: probe_files [FLAGS] ROOT LIST_FILE" in out
    assert "usage: caffepy probe_files [FLAGS] ROOT LIST_FILE" in out
    assert not seen


def test_unknown_flags_of_a_flagfile_are_warned_of(seen: list[Any], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "flags").write_text("-shufle\n-backend=leveldb\n")
    assert run("probe_files", [f"-flagfile={tmp_path}/flags", "a", "b"]) == 3
    (warning,) = capsys.readouterr().err.splitlines()
    assert "a flagfile has '-shufle', which probe_files does not know; nearest: 'shuffle'; it is passed over" in warning
    assert seen[0]["backend"] == "leveldb"


def test_no_flag_without_effect_is_offered(seen: list[Any], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "flags").write_text("-max_log_siz=3\n")
    assert run("probe_files", [f"-flagfile={tmp_path}/flags", "a", "b"]) == 3
    assert "a flagfile has '-max_log_siz', which probe_files does not know; it is passed over" in capsys.readouterr().err


def test_surplus_arguments(seen: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["probe", "test"]) == 0
    assert "usage: caffe COMMAND" in capsys.readouterr().out
    assert run("caffepy", ["probe", "s.prototxt"]) == 1
    assert "takes no argument, but 's.prototxt' was given" in capsys.readouterr().err
    assert run("caffepy", ["probe_files", "a", "b", "c"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not seen


@pytest.mark.parametrize(("surplus", "code", "ran"), [(IGNORED, 3, True), (USAGE, 0, False), (REFUSED, 1, False)])
def test_surplus_arguments_of_a_tool(
    seen: list[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, surplus: str, code: int, ran: bool
) -> None:
    monkeypatch.setitem(COMMANDS, "probe_files", Entry("probe_files", "Probes", "a probe", usage_exit=0, surplus=surplus))
    assert run("probe_files", ["a", "b", "c", "-shuffle", "d"]) == code
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert "c d" in err
    assert ("usage: probe_files [FLAGS] ROOT LIST_FILE" in out) is (surplus == USAGE)
    expected = [{"shuffle": True, "backend": "lmdb", "resize_width": 0, "root": "a", "list_file": "b"}] if ran else []
    assert seen == expected


@pytest.mark.parametrize(
    ("tool", "takes", "surplus"),
    [  # what the originals ask of argc
        ("convert_imageset", 3, IGNORED),
        ("convert_annoset", 3, IGNORED),
        ("create_label_map", 2, IGNORED),
        ("get_image_size", 3, IGNORED),
        ("extract_features", 8, IGNORED),
        ("extract_seconds", 2, IGNORED),
        ("compute_image_mean", 2, USAGE),
        ("convert_cifar_data", 3, USAGE),
        ("convert_mnist_data", 3, USAGE),
        ("convert_mnist_siamese_data", 3, USAGE),
        ("upgrade_net_proto_text", 2, USAGE),
        ("upgrade_net_proto_binary", 2, USAGE),
        ("upgrade_solver_proto_text", 2, USAGE),
    ],
)
def test_one_argument_too_many(tool: str, takes: int, surplus: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"nowhere/{i}" for i in range(takes)]
    if tool == "extract_features":
        words[4:] = ["1", "lmdb", "CPU", "0"]
    code = run(tool, [*words, "one_more"])
    out, err = capsys.readouterr()
    assert ("ignored: one_more" in err) is (surplus == IGNORED)
    assert ("too many arguments: one_more" in err) is (surplus == USAGE)
    shown = err if COMMANDS[tool].usage_to_stderr else out
    assert (f"usage: {tool} [FLAGS]" in shown) is (surplus == USAGE)
    if surplus == USAGE:
        assert code == COMMANDS[tool].usage_exit
    else:
        assert "nowhere/" in err.partition("one_more")[2]


@pytest.mark.parametrize(
    ("tool", "stream", "code", "help_code"),
    [  # what the originals do without arguments, and with --help
        ("convert_imageset", "out", 1, 1),
        ("convert_mnist_data", "out", 0, 1),
        ("convert_cifar_data", "out", 0, 0),
        ("convert_mnist_siamese_data", "out", 0, 0),
        ("extract_features", "err", 1, 1),
        ("classification", "err", 1, 1),
        ("upgrade_net_proto_text", "err", 1, 1),
        ("upgrade_net_proto_binary", "err", 1, 1),
        ("upgrade_solver_proto_text", "err", 1, 1),
        ("parse_log", "err", 2, 0),
        ("summarize", "err", 2, 0),
        ("draw_net", "err", 2, 0),
        ("plot_training_log", "out", 0, 0),
        ("extract_seconds", "out", 1, 1),
    ],
)
def test_where_the_usage_of_a_tool_goes(tool: str, stream: str, code: int, help_code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tool, []) == code
    told = capsys.readouterr()
    assert getattr(told, stream).startswith(f"usage: {tool} [FLAGS]")
    assert told.out + told.err == getattr(told, stream)
    assert run(tool, ["--help"]) == help_code
    assert capsys.readouterr().out.startswith(f"usage: {tool} [FLAGS]")
    assert run("caffepy", [tool]) == 1


def test_no_action_shows_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for program in ("caffe", "caffepy"):
        assert run(program, []) == 0
        out = capsys.readouterr().out
        assert all(name in out for name in ("train", "convert_imageset", "-sigint_effect"))


@pytest.mark.parametrize(("program", "code"), [("caffe", 1), ("caffepy", 0)])
@pytest.mark.parametrize("words", [["--help"], ["-helpshort"], ["-solver=x", "-help"], ["-helpfull"]])
def test_help(program: str, code: int, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(program, words) == code
    out = capsys.readouterr().out
    assert "compute_image_mean" in out
    assert ("-minloglevel N" in out) == (words == ["-helpfull"])


def test_help_of_a_command(seen: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["probe_files", "--help"], ["help", "probe_files"], ["-help", "probe_files"]):
        assert run("caffepy", words) == 0
        out = capsys.readouterr().out
        assert "-shuffle" in out
        assert "Shuffle the images." in out
        assert "-backend TEXT" in out
        assert "(default: lmdb)" in out
    assert run("probe_files", ["--help"]) == 1
    assert not seen


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["--version"]) == 0
    assert capsys.readouterr().out.startswith("caffe version 1.0.0")
    assert run("caffepy", ["-version"]) == 0
    assert capsys.readouterr().out.startswith("caffepy 0.")
    assert run("caffepy", ["version"]) == 0
    assert capsys.readouterr().out.startswith("caffepy 0.")


@pytest.mark.parametrize("words", [["probe", "-h"], ["help", "probe"], ["probe", "help"], ["probe", "--h"]])
def test_ways_to_ask_for_help(words: list[str], seen: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", words) == 0
    assert capsys.readouterr().out.startswith("usage: caffepy probe [FLAGS]\n")
    assert not seen


@pytest.mark.parametrize("words", [["-h"], ["help"], []])
def test_ways_to_ask_for_the_programs_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", words) == 0
    assert "\nusage: caffepy COMMAND [FLAGS] [ARGUMENTS]\n" in capsys.readouterr().out


def test_unknown_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", ["trian"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("F")
    assert "] Unknown action: trian; nearest: 'train'" in err
    assert err.count("\n") == 1
    assert run("nothing_of_ours", []) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["probe", "-frobnicate=1"], "ERROR: unknown command line flag 'frobnicate'"),
        (["-frobnicate", "probe"], "ERROR: unknown command line flag 'frobnicate'"),
        (["-frobnicate"], "ERROR: unknown command line flag 'frobnicate'"),
        (["probe", "-iterations=abc"], "ERROR: illegal value 'abc' specified for int32 flag 'iterations'"),
        (["-iterations", "probe"], "ERROR: illegal value 'probe' specified for int32 flag 'iterations'"),
        (["-engine", "probe"], "ERROR: 'probe' was read as the value of the flag before it"),
    ],
)
def test_wrong_flags(seen: list[Any], words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffe", words) == 1
    out, err = capsys.readouterr()
    assert err.startswith(message)
    assert err.count("\n") == 1
    assert out == ""
    assert not seen


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (NetError("net.prototxt:3:1: layer 'a':\n  no bottom"), 1, "] net.prototxt:3:1: layer 'a': no bottom\n"),
        (FileNotFoundError(2, "No such file or directory", "x.txt"), 1, "] x.txt: No such file or directory\n"),
        (
            ZeroDivisionError("by zero"),
            1,
            "] internal error: ZeroDivisionError: by zero (run with -v=1 for the traceback; please report)\n",
        ),
        (
            SystemError("OpenCV: error: (-4:Insufficient memory) Failed to allocate 30000000000 bytes"),
            1,
            "] not enough memory: OpenCV: error: (-4:Insufficient memory) Failed to allocate 30000000000 bytes\n",
        ),
        (
            RuntimeError("CUDA error: device-side assert triggered\nCompile with `TORCH_USE_CUDA_DSA`"),
            1,
            "] a GPU met an index out of range, most often a label that is no class; without -gpu the layer and the label are named\n",
        ),
        (
            ImportError("libtorch_cpu.so: failed to map segment from shared object"),
            1,
            "] libtorch_cpu.so: failed to map segment from shared object; needed: more memory (ulimit -v tells the limit), and",
        ),
        (
            ImportError("IMPORTANT: PLEASE READ THIS\n\nOriginal error was: libopenblas.so: failed to map segment from shared object\n"),
            1,
            ":0] libopenblas.so: failed to map segment from shared object; needed: more memory (ulimit -v tells the limit), and",
        ),
        (
            RuntimeError("can't start new thread"),
            1,
            "] can't start new thread; needed: more memory or processes (ulimit -v and ulimit -u tell the limits)\n",
        ),
        (
            ModuleNotFoundError("No module named 'torch'", name="torch"),
            1,
            "] the Python package 'torch' is not installed: pip install torch\n",
        ),
        (ModuleNotFoundError("No module named 'matplotlib.figure'", name="matplotlib.figure"), 1, ": pip install 'caffepy[tools]'\n"),
        (ModuleNotFoundError("No module named 'pandas'", name="pandas"), 1, "] the Python package 'pandas' is not installed\n"),
        (KeyboardInterrupt(), 130, "] Interrupted.\n"),
        (BrokenPipeError(), 141, ""),
        (click.UsageError("no such"), 1, "ERROR: no such\n"),
        (click.ClickException("no good"), 1, "] no good\n"),
        (ValueError("embedded null byte"), 1, "] the name of a file holds a NUL byte (\\0); needed: a name without\n"),
        (click.exceptions.Exit(5), 5, ""),
    ],
)
def test_failures_are_one_line(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, error)
    assert run("caffepy", ["probe_fails"]) == code
    err = capfd.readouterr().err
    assert line in err
    assert err.count("\n") == (1 if line else 0)
    assert "Traceback" not in err


def test_traceback_on_request(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing(monkeypatch, NetError("no good"))
    assert run("caffepy", ["probe_fails", "-v=1"]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminals_that_know_few_characters(root: Path, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "net.prototxt").write_text('layer { name: "猫" type: "Input" top: "x" input_param { shape { dim: 1 } } }', encoding="utf-8")
    words = [sys.executable, "-m", "caffepy", "summary", str(tmp_path / "net.prototxt")]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(words, cwd=root, capture_output=True, timeout=60, env=environment, check=True)
    assert b"\\u732b" in done.stdout


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&- <&-"])
def test_standard_streams_that_are_closed(closed: str, root: Path, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("none.png 0\n")
    words = f"{sys.executable} -m caffepy.cli.main convert_imageset {tmp_path}/ {tmp_path}/list.txt {tmp_path}/db {closed}"
    assert subprocess.run(["sh", "-c", words], cwd=root, timeout=60, check=False).returncode == 0
    assert (tmp_path / "db/data.mdb").stat().st_size > 0


def test_help_loads_nothing_heavy(root: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from caffepy.cli.main import run; run('caffepy', ['--help'])"
    out = python(f"{code}; print([m for m in ('torch', 'numpy', 'cv2', 'google.protobuf', 'mpi4py', 'lmdb', 'h5py') if m in sys.modules])")
    assert out.endswith("[]\n")
    # what it takes to answer in 0.3 s; the time itself is measured by tools/bench/startup.py, as a test's machine may be busy
    assert int(python(f"{code}; print(len(sys.modules))").splitlines()[-1]) < 300


def test_openmp_threads_spin_for_a_moment_only(root: Path) -> None:
    code = f"import sys, os; sys.path.insert(0, {str(root)!r}); from caffepy.cli.main import run"
    unset = "[os.environ.pop(name, 0) for name in ('OMP_WAIT_POLICY', 'GOMP_SPINCOUNT')]"
    shown = "run('caffe', ['-version']); print(os.environ['OMP_WAIT_POLICY'], os.environ.get('GOMP_SPINCOUNT'))"
    assert python(f"{code}; {unset}; {shown}").endswith("PASSIVE 2000\n")
    assert python(f"{code}; {unset}; os.environ['OMP_WAIT_POLICY'] = 'ACTIVE'; {shown}").endswith("ACTIVE None\n")


@pytest.mark.parametrize("name", [name for name in COMMANDS if (Path(__file__).parents[2] / f"caffepy/cli/{name}.py").exists()])
def test_commands_load_without_torch(name: str, root: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from caffepy.cli.main import run; run('caffepy', [{name!r}, '--help'])"
    out = python(f"{code}; print('torch' in sys.modules)")
    assert f"usage: caffepy {name}" in out
    assert out.endswith("False\n")


def test_caffes_actions_are_commands() -> None:
    assert set(ACTIONS) <= set(COMMANDS)


def test_arguments_that_are_numbers_are_read_as_flags_are(capsys: pytest.CaptureFixture[str]) -> None:
    for number in ("1_0", "1e3", "", "ten"):
        assert run("extract_features", ["a", "b", "c", "d", number, "lmdb"]) == 1
        assert f"illegal value '{number}' given for int32 argument num_mini_batches" in capsys.readouterr().err.lower()
    assert run("extract_features", ["a", "nowhere", "c", "d", "+10", "lmdb"]) == 1
    assert "File not found: nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_paragraphs_of_a_help_begin_at_one_column(name: str) -> None:
    from caffepy.cli.help import command_help

    about, _, _ = command_help(COMMANDS[name].load(), f"caffepy {name}").partition("\nFlags\n")
    assert [line for line in about.splitlines() if line.startswith("   ")] == []
