"""Completion of commands, flags and values, asked as the shells ask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from caffepy.cli.commands import ACTIONS, COMMANDS
from caffepy.cli.completion import CHOICES, candidates
from caffepy.cli.main import run
from caffepy.cli.options import flags_of


def values(line: str, program: str = "caffepy") -> list[str]:
    *words, incomplete = line.split(" ")
    return [f"<{item.type}>" if item.type != "plain" else item.value for item in candidates(program, words, incomplete)]


def test_commands() -> None:
    assert values("") == list(COMMANDS)
    assert values("plot") == ["plot", "plot_training_log"]
    assert values("convert-c") == ["convert_cifar_data"]
    assert values("", "caffe") == list(ACTIONS)
    assert values("-gpu 0 te") == ["test"]


def test_flags() -> None:
    assert values("train -snap") == ["-snapshot"]
    assert values("train --sol") == ["--solver"]
    assert values("train -nolazy") == ["-nolazy_update"]
    assert "-shuffle" in values("-s", "convert_imageset")
    assert values("-vers") == ["-version"]
    assert "-log_dir" in values("train -l")
    assert "-max_log_size" not in values("train -m")
    assert values("train -svb_t") == [], "it has no effect"


def test_values() -> None:
    assert values("train -phase ") == ["TRAIN", "TEST"]
    assert values("train -phase=TE") == ["-phase=TEST"]
    assert values("train -phase =") == values("train -phase = ") == ["TRAIN", "TEST"], "bash takes = for a word"
    assert values("train -solver ") == ["<file>"]
    assert values("train -log_dir ") == ["<dir>"]
    assert values("train -iterations ") == []
    assert values("plot a.log b") == ["<file>"]
    assert values("train ") == []
    assert values("convert_cifar_data a b l") == ["lmdb", "leveldb"]
    assert values("convert_cifar_data -v 1 a b lm") == ["lmdb"]
    assert values("completion ") == ["bash", "zsh", "fish"]


def test_fields_of_the_solver() -> None:
    assert values("train -set base_") == ["base_lr="]
    assert values("train -set train_s") == ["train_state."]
    assert values("train -set test_s") == ["test_state["]
    assert values("train -set net_param.layer[conv1].na") == ["net_param.layer[conv1].name="]
    assert values("train -set base_lr.x") == []


def test_choices_are_of_flags_that_there_are() -> None:
    known = {param.name for entry in COMMANDS.values() for param in entry.load().params}
    known |= {name for entry in COMMANDS.values() for name in flags_of(entry.load())} | {"minloglevel"}
    assert set(CHOICES) <= known
    assert "tree" in values("train -exchange ")


def test_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["completion", "tcsh"]) == 1
    assert "tcsh: there is no completion for this shell; needed: bash, zsh, fish" in capsys.readouterr().err
    assert run("caffepy", ["completion", "bash", "cafe"]) == 1
    assert "cafe is no program of caffepy" in capsys.readouterr().err
    assert run("caffepy", ["completion", "bash", "caffepy", "cafe"]) == 1
    assert capsys.readouterr().out == ""  # a shell runs what is printed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("program", ["caffepy", "caffe"])
def test_scripts(shell: str, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_{program.upper()}_COMPLETE={shell}_complete" in script
    assert shell == "fish" or "unfinished" in script or "nospace" in script
    if interpreter := shutil.which(shell):
        subprocess.run([interpreter, "-n"], input=script, text=True, check=True, timeout=30)


def test_a_shell_asks(root: Path) -> None:
    def ask(**environ: str) -> str:
        command = [sys.executable, "-m", "caffepy.cli.main", "caffe"]
        done = subprocess.run(command, cwd=root, env={**os.environ, **environ}, capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        return done.stdout

    assert ask(_CAFFE_COMPLETE="bash_complete", COMP_WORDS="caffe tra", COMP_CWORD="1") == "plain,train\n"
    assert ask(_CAFFE_COMPLETE="bash_complete", COMP_WORDS="caffe train -solver s", COMP_CWORD="3") == "file,s\n"
    assert "complete" in ask(_CAFFE_COMPLETE="zsh_source")
