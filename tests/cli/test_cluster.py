"""``caffepy cluster -hosts``: machine files; the report itself is in tests/mpi."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffepy.cli.main import run


def test_the_machines_as_mpirun_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hosts").write_text("0 a 9999\n1 b 9999\n2 b 10001\n")
    assert run("caffepy", ["cluster", f"-hosts={tmp_path}/hosts", "-list"]) == 0
    assert capsys.readouterr().out == "a:1,b:2\n"


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("a slots=x", (), "hosts:1: 'a slots=x': 'x' is no number of ranks"),
        ("no-such-host.invalid:2", (), "host 'no-such-host.invalid' is not known here"),
        ("localhost", ("-mpirun=/nowhere/mpirun",), "/nowhere/mpirun: cannot run it"),
    ],
)
def test_refused_in_one_line(text: str, words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hosts").write_text(text)
    assert run("caffepy", ["cluster", f"-hosts={tmp_path}/hosts", *words]) == 1
    fatal = [line for line in capsys.readouterr().err.splitlines() if line.startswith("F")]
    assert len(fatal) == 1
    assert message in fatal[0]


def test_a_launcher_and_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PMI_RANK": "0", "PMI_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    assert run("caffepy", ["cluster", "-hosts=anything"]) == 1
    assert "mpich has started the ranks already" in capsys.readouterr().err


def test_a_list_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("caffepy", ["cluster", "-list"]) == 1
    assert "-list: needed: -hosts FILE" in capsys.readouterr().err
