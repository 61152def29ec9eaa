"""The line of figures."""

from __future__ import annotations

import pytest

from tools.campaign import report


def test_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = report.line("ranks", 7, lost=200, broken_files=0, images_per_s=12.5)
    assert text == "ranks: lost 200, broken files 0, images per s 12.5, seed 7"
    assert capsys.readouterr().out == f"{text}\n"
