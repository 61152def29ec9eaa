"""The page: one HTML file with its styles, its script and its data, which loads nothing else.

Names of layers, blobs and files may be anything, HTML too. They stand only in the JSON, where
``<`` is escaped, and the script puts them into the page as text. The content security policy of
the page allows no script but this one, by its hash.

Graph and curves are drawn by some hundred lines of our own.

- The layout is that of ``draw_net``, computed in Python and covered by its tests. elkjs or dagre
  would be a second layout. They would add 1.6 MB or 50 kB of script to every page, and compute in
  the browser before a net is seen.
- plotly would add 4.8 MB of script to every page, bokeh 1.3 MB, for lines, a legend and a zoom.
  Either would be one more package to install.
- Nets are drawn on a canvas, which stays fluid at thousands of layers.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from caffepy.errors import DataError
from caffepy.proto.atomic import atomic_write
from caffepy.report.finite import finite

STYLE = "style.css"
SCRIPTS = (
    "dom.js",
    "graph.js",
    "histogram.js",
    "layers.js",
    "search.js",
    "chart.js",
    "training.js",
    "main.js",
)
"""In the order in which they are joined; each uses those before it."""
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def page(data: dict[str, Any], *, live: bool = False) -> str:
    """The text of the page.  ``live``: it asks its server for newer numbers."""
    script = "(() => {\n'use strict';\n" + "".join(asset(name) for name in SCRIPTS) + "})();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; "
    policy += "style-src 'unsafe-inline'; img-src data:"
    if live:
        policy += "; connect-src 'self'"
    parts = {
        "POLICY": policy,
        "STYLE": asset(STYLE),
        "DATA": as_json({**data, "live": live}),
        "SCRIPT": script,
    }
    text = asset("page.html")
    head, *rest = text.split("{{")  # filled in one pass: what is filled in may hold braces
    pieces = [piece.partition("}}") for piece in rest]
    return head + "".join(parts[name] + after for name, _, after in pieces)


def as_json(data: dict[str, Any]) -> str:
    """JSON for a script element, which no name in it can end.

    NaN and infinity become null, which the page shows as ``not finite``.
    """
    text = json.dumps(finite(data), allow_nan=False, separators=(",", ":"))
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
