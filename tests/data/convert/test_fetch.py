"""Downloading a file whose MD5 is known."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from caffepy.data.convert.fetch import fetch

CONTENT = b"pictures" * 1000
MD5 = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()


def test_the_first_url_that_works(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(CONTENT)
    urls = [f"file://{tmp_path}/missing", f"file://{tmp_path}/there"]
    assert fetch(str(tmp_path / "got"), MD5, urls) == ""
    assert (tmp_path / "got").read_bytes() == CONTENT
    assert sorted(os.listdir(tmp_path)) == ["got", "there"]


def test_another_content_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(CONTENT[:-1])
    assert "not the file that was expected" in fetch(
        str(tmp_path / "got"), MD5, [f"file://{tmp_path}/there"]
    )
    assert os.listdir(tmp_path) == ["there"]


def test_nothing_can_be_reached(tmp_path: Path) -> None:
    reason = fetch(
        str(tmp_path / "got"),
        MD5,
        [f"file://{tmp_path}/missing", "nonsense", "http://127.0.0.1:1/x"],
    )
    assert "missing" in reason
    assert "nonsense" in reason
    assert "refused" in reason
    assert os.listdir(tmp_path) == []
