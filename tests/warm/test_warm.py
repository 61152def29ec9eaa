"""A program in a fork of a warm process is one started anew, to whoever started it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm.start import python, server

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux only")

SEEN = """
import json, os, sys
print(json.dumps([sys.argv, os.getcwd(), os.environ["SAID"], sys.stdin.read(), __name__]))
sys.stderr.write("to the other")
sys.exit(3)
"""


def test_words_folder_environment_streams_and_code(tmp_path: Path) -> None:
    ends = []
    for warm in (False, True):
        command = [*python(warm=warm), "-c", SEEN, "-x", "a b"]
        done = subprocess.run(command, cwd=tmp_path, env={"SAID": "word"}, input="given", capture_output=True, text=True, check=False)
        ends.append((done.returncode, done.stdout, done.stderr))
    assert ends[0][0] == 3
    assert ends[0] == ends[1]


def test_an_error_shows_its_traceback() -> None:
    done = subprocess.run([*python(), "-c", "1 / 0"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_a_module_runs_as_a_program() -> None:
    done = subprocess.run([*python(), "-m", "caffepy.cli.main", "caffepy", "-version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("caffepy ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_program_that_a_signal_ends(number: int) -> None:
    done = subprocess.run([*python(), "-c", f"import os; os.kill(os.getpid(), {number})"], check=False)
    assert done.returncode == -number


def test_signals_reach_the_program() -> None:
    text = (
        "import signal, time\nheard = []\nsignal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))\n"
        "print('up', flush=True)\nwhile not heard: time.sleep(0.01)\nprint('heard')"
    )
    with subprocess.Popen([*python(), "-c", text], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "up\n"
        program.send_signal(signal.SIGUSR1)
        assert program.stdout.read() == "heard\n"
    assert program.returncode == 0


def test_a_program_ends_with_who_started_it(tmp_path: Path) -> None:
    text = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with subprocess.Popen([*python(), "-c", text], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        pid = int(program.stdout.readline())
        program.kill()
        assert program.stdout.read() == ""  # the program held it open
    assert pid != program.pid


def test_the_server_stands_those_who_ask_and_go() -> None:
    path = server()
    assert path is not None
    request = json.dumps({"argv": ["-c", ""], "environ": {}, "cwd": "/", "fds": [0, 1, 2]}).encode() + b"\n"
    for i in range(30):
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(path)
            socket.send_fds(caller, [request[: (0, 10, len(request))[i % 3]] or b"{"], [0, 1, 2])
            time.sleep(0.01 * (i % 5))
    test_an_error_shows_its_traceback()
