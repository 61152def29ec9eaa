"""A headless Chromium that tests drive by its DevTools protocol over a pipe: nothing is installed for it beside Chromium itself."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")
HIGH_FD = 20
AT_3_AND_4 = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
"""Becomes Chromium, which reads commands at 3 and answers at 4. A preexec_fn would fork among torch's threads."""
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe")


def chromium() -> str:
    """The program: $CAFFEPY_CHROMIUM, one that is installed, or that of tools/dev/chromium; the test is skipped where there is none."""
    fetched = sorted((Path(__file__).parents[3] / "build/chromium").glob("*/chromium"))
    names = [os.environ.get("CAFFEPY_CHROMIUM", ""), *NAMES, *map(str, fetched)]
    program = next(filter(None, (shutil.which(name) for name in names if name)), None)
    if program is None:
        pytest.skip("no Chromium is installed (apt install chromium, or tools/dev/chromium), and CAFFEPY_CHROMIUM names none")
    return program


class Browser:
    """One page.  ``errors``: what scripts of the page threw or logged as errors, and what its policy refused."""

    def __init__(self, *, width: int = 1400, height: int = 900) -> None:
        program = chromium()
        self._profile = tempfile.TemporaryDirectory(prefix="caffepy-chromium-", ignore_cleanup_errors=True)
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        child = [fcntl.fcntl(fd, fcntl.F_DUPFD, HIGH_FD) for fd in (theirs_in, theirs_out)]

        flags = [*FLAGS, f"--user-data-dir={self._profile.name}", f"--window-size={width},{height}"]
        command = [sys.executable, "-I", "-S", "-c", AT_3_AND_4, *map(str, child), program, *flags, "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=child)
        for fd in (theirs_in, theirs_out, *child):
            os.close(fd)
        self._out, self._in = os.fdopen(ours_out, "wb", buffering=0), os.fdopen(ours_in, "rb")
        self._number, self._rest = 0, b""
        self.errors: list[str] = []
        self._session = ""
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self) -> None:
        """End the program."""
        self._out.close()
        self._process.terminate()
        self._process.wait(20)
        self._in.close()
        self._profile.cleanup()

    def call(self, method: str, **params: Any) -> Any:
        """A command of the protocol; its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._number:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._in.fileno(), 1 << 20)
            if not more:
                raise RuntimeError("Chromium has ended")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(line)
        return found

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(str(params["args"]))

    def open(self, address: str | Path) -> None:
        """Open a page and wait until it is drawn."""
        url = address.as_uri() if isinstance(address, Path) else address
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")
        self.frame()

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Wait until an expression is true in the page."""
        script = f"""new Promise((done, failed) => {{
            const end = Date.now() + {seconds * 1000};
            const look = () => ({condition}) ? done(true) : Date.now() > end ? failed(new Error("not so in time")) : setTimeout(look, 20);
            look(); }})"""
        self.run(script)

    def frame(self) -> None:
        """Wait until what was asked for is drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def text(self, selector: str) -> str:
        """The text of an element."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def click(self, x: float, y: float) -> None:
        """Click at a point of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.frame()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press at one point, and let go at another."""
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.frame()

    def type(self, text: str) -> None:
        """Text into what has the focus; a newline is Enter."""
        for character in text:
            if character == "\n":
                for kind in ("keyDown", "keyUp"):
                    self.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)
            else:
                self.call("Input.insertText", text=character)
        self.frame()

    def screenshot(self, path: str | Path) -> None:
        """Write a PNG of the window."""
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
