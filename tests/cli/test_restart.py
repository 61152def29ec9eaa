"""`caffepy train` as a process: it begins anew without glibc's cache of small blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caffepy.cli import restart
from caffepy.cli.restart import restart_without_cache, without_cache

SETTING = "glibc.malloc.tcache_count=0"


@pytest.fixture
def old_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "confstr", lambda name: "glibc 2.36")


def starts(monkeypatch: pytest.MonkeyPatch, file: str | None, command: list[str]) -> None:
    """Python seems to have been started with ``command``, of which it runs ``file``."""
    monkeypatch.setattr(sys.modules["__main__"], "__file__", file, raising=False)
    monkeypatch.setattr(sys, "orig_argv", ["python3", *command])


@pytest.mark.usefixtures("old_glibc")
def test_other_settings_stay() -> None:
    assert without_cache({"A": "b"}) == {"A": "b", "GLIBC_TUNABLES": SETTING}
    other = {"GLIBC_TUNABLES": "glibc.malloc.check=3"}
    assert without_cache(other) == {"GLIBC_TUNABLES": f"glibc.malloc.check=3:{SETTING}"}
    own = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=7"}
    assert without_cache(own) == own


@pytest.mark.parametrize("version", ["glibc 2.39", "glibc 3.0", "musl 1.2.5", "glibc x", "", None])
def test_other_libraries_need_it_not(version: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "confstr", lambda name: version)
    assert without_cache({}) == {}


@pytest.mark.usefixtures("old_glibc")
@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (["/bin/caffepy", "train", "-solver=s"], True),
        (["/bin/caffe", "-solver", "s", "train"], True),
        (["/bin/caffepy", "test", "-model=m"], False),
        (["/bin/caffepy", "train", "-solver=s", "-gpu=0"], False),
        (["/bin/caffepy", "train", "--gpu", "all"], False),
        (["/bin/pytest", "train"], False),
    ],
)
def test_only_trainings_on_a_cpu_begin_anew(words: list[str], begins: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[object, ...]] = []
    monkeypatch.setattr(os, "execve", lambda *call: started.append(call))
    starts(monkeypatch, words[0], ["-B", *words])
    restart_without_cache(words, {"A": "b"})
    command = [sys.executable, *sys.orig_argv[1:]]
    changed = {"A": "b", "GLIBC_TUNABLES": SETTING}
    assert started == [(sys.executable, command, changed)] * begins


@pytest.mark.usefixtures("old_glibc")
def test_a_system_that_starts_nothing_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "execve", refuse)
    starts(monkeypatch, "caffepy", ["caffepy", "train"])
    restart_without_cache(["caffepy", "train"], {})


@pytest.mark.usefixtures("old_glibc")
@pytest.mark.parametrize(
    ("file", "command"),
    [
        (None, ["-"]),
        (None, ["-c", "...", "caffepy", "train", "-solver=s"]),
        ("job.py", ["job.py"]),
        ("caffepy", ["caffepy"]),
        ("job.py", ["job.py", "train", "-solver=s"]),
    ],
)
def test_a_script_that_makes_the_command_runs_once(file: str | None, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "execve", lambda *call: pytest.fail("it was started again"))
    starts(monkeypatch, file, command)
    restart_without_cache(["caffepy", "train", "-solver=s"], {})


@pytest.mark.usefixtures("old_glibc")
def test_a_module_of_the_same_name_is_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "execve", lambda *call: pytest.fail("it was started again"))
    starts(monkeypatch, "/home/me/main.py", ["/home/me/main.py", "train"])
    restart_without_cache(["/home/me/main.py", "train"], {})


IN_IT = """
import os, sys
words = sys.argv
import caffepy.cli.main
print(os.environ.get("GLIBC_TUNABLES"), sys.argv == words[:1] + ["train", "a b", ""], os.getpid())
"""


@pytest.mark.skipif(not restart._is_wasteful(), reason="this C library needs no restart")
def test_the_process_and_its_command_are_the_same_after_it(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != restart.VARIABLE}
    environment["PYTHONPATH"] = str(Path(restart.__file__).parents[2])
    program = tmp_path / "caffe"
    program.write_text(IN_IT)
    command = [sys.executable, str(program), "train", "a b", ""]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        shown, _ = process.communicate()
    assert shown.split() == [SETTING, "True", str(process.pid)]


@pytest.mark.parametrize("command", [["-m", "caffepy"], ["-m", "caffepy.cli.main", "caffe"]])
def test_its_error_is_still_one_line(command: list[str], tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, *command, "train", "-solver=no such.prototxt"],
        env={**os.environ, "PYTHONPATH": str(Path(restart.__file__).parents[2])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode != 0
    assert "no such.prototxt" in run.stderr
