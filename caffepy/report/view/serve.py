"""A server of a page that follows trainings, for browsers on this machine."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from caffepy.errors import CaffeError, UsageError, one_line
from caffepy.report.view.page import as_json, page
from caffepy.report.view.training import training_data

HOST = "127.0.0.1"
KNOWN_HOSTS = (HOST, "localhost")
"""Host names that are answered. A site elsewhere could point a name of its own at 127.0.0.1."""
REST = 4
"""Files are read again no sooner than so many times as long as reading took."""
TOKEN_BYTES = 16


class Followed:
    """The runs of some files, read again when one of these has changed.

    ``version``: grows with each reading. ``error``: why the last reading failed, or empty.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.version = 0
        self.error = ""
        self.data: dict[str, Any] = {"runs": []}
        self._state: list[tuple[int, int]] = []
        self._rested = 0.0
        self._lock = threading.Lock()

    def look(self) -> None:
        """Read the files if one has changed."""
        with self._lock:
            state = [state_of(path) for path in self.files.values()]
            started = time.monotonic()
            if state == self._state or started < self._rested:
                return
            try:
                self.data = training_data(self.files, running=True)
                self.version += 1
                self.error = ""
            except CaffeError as error:
                self.error = one_line(error)
            self._state = state
            ended = time.monotonic()
            self._rested = ended + REST * (ended - started)


def state_of(path: str) -> tuple[int, int]:
    """What of a file changes when it is written to."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def host_name(host: str) -> str:
    """The name in a Host header, without the port; empty if there is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


class Server(ThreadingHTTPServer):
    """A server whose page is at ``address``.

    Its path is a random ``token``, so that other users of the machine do not find the page.
    """

    def __init__(self, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__((HOST, port), handler)
        self.token = secrets.token_urlsafe(TOKEN_BYTES)

    @property
    def address(self) -> str:
        """With the token and a slash behind it."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"


def server(data: Mapping[str, Any], followed: Followed, port: int) -> Server:
    """A server of the page at a port, 0 for any that is free.  UsageError if it cannot be had."""

    class Handler(BaseHTTPRequestHandler):
        """Answers for the page, and for its numbers."""

        def do_GET(self) -> None:
            if host_name(self.headers.get("Host", "")) not in KNOWN_HOSTS:
                self._answer(403, "text/plain", "this page is for this machine alone")
                return
            asked = urlsplit(self.path)
            _, token, *page_path = asked.path.split("/", 2)
            if not secrets.compare_digest(token.encode(), running.token.encode()):
                needed = "needed: the whole address that caffepy view has printed"
                self._answer(403, "text/plain", f"this address is not that of the page; {needed}")
            elif page_path == [""]:
                followed.look()
                whole = {**data, "training": followed.data, "version": followed.version}
                self._answer(200, "text/html", page(whole, live=True))
            elif page_path == ["data"]:
                self._numbers(parse_qs(asked.query).get("since", [""])[0])
            else:
                self._answer(404, "text/plain", "there are only the page and its data")

        def _numbers(self, since: str) -> None:
            followed.look()
            if followed.error:
                self._answer(503, "text/plain", followed.error)
            elif since == str(followed.version):
                self._answer(204, "application/json", "")
            else:
                self._answer(
                    200,
                    "application/json",
                    as_json({"training": followed.data, "version": followed.version}),
                )

        def _answer(self, code: int, kind: str, text: str) -> None:
            content = text.encode(errors="backslashreplace")  # a file's name may be no UTF-8
            self.send_response(code)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            with suppress(ConnectionError):  # the browser may have gone
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the page asks every other second."""

    try:
        running = Server(port, Handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"-port {port}: {reason}; needed: a port that is free, or 0") from None
    return running
