"""The page: one HTML file with its styles, its script and its data, which asks for nothing from elsewhere.

Names of layers, blobs and files stand only in the JSON, in which no ``<`` is left, and the script puts them into the page as text.
The page's own policy lets the browser run this very script, told by its hash, and nothing else.

Graph and curves are drawn by some hundred lines of our own.

- The layout is that of ``draw_net``, made once in Python and tried by its tests. elkjs and dagre would
  be a second layout beside it. elkjs would put 1.6 MB of script into every page, dagre 50 kB, and
  either would work in the browser before a large net is seen.
- plotly's script would put 4.8 MB into every page, bokeh's 1.3 MB, for lines, a legend and a zoom.
  Either would be one package more to install, while this page needs none.
- Nets are on a canvas: a thousand layers as elements of SVG, with their texts, no longer move smoothly.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from caffepy.errors import DataError
from caffepy.proto.atomic import atomic_write

STYLE = "style.css"
SCRIPTS = ("dom.js", "graph.js", "histogram.js", "layers.js", "search.js", "chart.js", "training.js", "main.js")
"""In the order in which they are joined; each uses those before it."""
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def page(data: dict[str, Any], *, live: bool = False) -> str:
    """The text of the page.  ``live``: it asks the server that it comes from for newer numbers."""
    script = "(() => {\n'use strict';\n" + "".join(asset(name) for name in SCRIPTS) + "})();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    if live:
        policy += "; connect-src 'self'"
    parts = {"POLICY": policy, "STYLE": asset(STYLE), "DATA": as_json({**data, "live": live}), "SCRIPT": script}
    text = asset("page.html")
    head, *rest = text.split("{{")  # filled in one pass: what is filled in may hold braces
    pieces = [piece.partition("}}") for piece in rest]
    return head + "".join(parts[name] + after for name, _, after in pieces)


def as_json(data: dict[str, Any]) -> str:
    """JSON that may stand in a script element: no ``<``, so that no name ends the element."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character, escape in UNSAFE.items():
        text = text.replace(character, escape)
    return text


def asset(name: str) -> str:
    """A file that comes with this package."""
    return files("caffepy.report.view").joinpath("assets", name).read_text(encoding="utf-8")


def write_page(path: str, data: dict[str, Any]) -> int:
    """Write the page; its size in bytes.  DataError if it cannot be written."""
    content = page(data).encode()
    with atomic_write(path, error=DataError) as temporary:
        temporary.write_bytes(content)
    return len(content)
