"""A page that follows a training."""

from __future__ import annotations

import json
import os
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caffepy.errors import UsageError
from caffepy.report.view.serve import Followed, server
from tests.report.logs import LOG
from tests.report.view.nets import data_in


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.log"
    path.write_text(LOG)
    return path


@pytest.fixture
def address(log: Path) -> Iterator[str]:
    with server({"title": "a"}, Followed({"a": str(log)}), 0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running.address.rstrip("/")
        running.shutdown()
        thread.join()


def get(address: str, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def grow(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)
    os.utime(path, (os.stat(path).st_atime, os.stat(path).st_mtime + 5))


def numbers(address: str, since: int) -> Any:
    """The newer numbers, however long the files rest."""
    while True:
        code, text = get(f"{address}/data?since={since}")
        if code != 204:
            return code, text


def test_numbers_are_those_of_the_file_now(address: str, log: Path) -> None:
    code, text = get(f"{address}/")
    assert code == 200
    data = data_in(text)
    assert (data["live"], data["version"], data["training"]["runs"][0]["iterations"]) == (True, 1, 10)
    assert get(f"{address}/data?since=1") == (204, "")
    grow(log, "I0101 00:01:50.000000 12345 solver.cpp:239] Iteration 20 (1 iter/s, 1s/10 iters), loss = 0.25\n")
    code, text = numbers(address, 1)
    newer = json.loads(text)
    assert (code, newer["version"], newer["training"]["runs"][0]["iterations"]) == (200, 2, 20)


def test_a_file_that_is_gone_is_told_of(address: str, log: Path) -> None:
    assert get(f"{address}/data?since=0")[0] == 200
    log.unlink()
    code, text = numbers(address, 1)
    assert code == 503
    assert "a.log: No such file or directory" in text
    log.write_text(LOG)
    code, text = numbers(address, -1)
    while code == 503:
        code, text = numbers(address, -1)
    assert json.loads(text)["training"]["runs"][0]["iterations"] == 10


def test_other_addresses(address: str) -> None:
    assert get(f"{address}/etc/passwd") == (404, "there are only the page and its data")
    # a site that leads its own name here
    for host in ("evil.example", "[", ""):
        assert get(f"{address}/", Host=host) == (403, "this page is for this machine alone")


def test_the_address_has_a_token(address: str) -> None:
    """Any user of the machine can ask at the port; the page is for the one who was told its address."""
    root, _, token = address.rpartition("/")
    assert len(token) >= 20
    for path in (
        "",
        "/",
        "/data?since=",
        f"/{token[:-1]}/",
        f"/{token}x/data",
        "//",
        f"/{token.upper()}/",
        "/\u00e9/".encode().decode("latin-1"),
    ):
        code, text = get(f"{root}{urllib.parse.quote(path, safe='/?=')}")
        assert (code, text.partition(";")[0]) == (403, "this address is not that of the page")


def test_each_server_has_a_token_of_its_own(log: Path) -> None:
    with server({}, Followed({"a": str(log)}), 0) as one, server({}, Followed({"a": str(log)}), 0) as other:
        assert one.token != other.token


@pytest.mark.parametrize("port", [-1, 70_000])
def test_ports_that_are_none(port: int, log: Path) -> None:
    with pytest.raises(UsageError, match=f"-port {port}: .*; needed: a port that is free, or 0"):
        server({}, Followed({"a": str(log)}), port)


def test_a_port_that_is_taken(log: Path) -> None:
    with server({}, Followed({"a": str(log)}), 0) as running, pytest.raises(UsageError, match="Address already in use"):
        server({}, Followed({"a": str(log)}), running.server_port)


def test_a_file_whose_name_is_no_utf_8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"a\xff.log")
    with server({"title": "a"}, Followed({"a": str(path)}), 0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        code, text = get(f"{running.address}data?since=")
        running.shutdown()
        thread.join()
    assert (code, text[-39:]) == (503, "/a\\udcff.log: No such file or directory")
