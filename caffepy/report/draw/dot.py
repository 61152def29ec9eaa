"""A net's picture in graphviz's language, which lays it out itself."""

from __future__ import annotations

from caffepy.report.draw.picture import ARROW
from caffepy.report.draw.scene import COLORS, Scene


def dot_text(scene: Scene, rankdir: str) -> str:
    """The text of a .dot file; ``rankdir``: TB, LR, BT or RL."""
    lines = [
        f"digraph {_quoted(scene.name or 'net')} {{",
        f"  rankdir={rankdir};",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=12];',
        f'  edge [color="{ARROW}", fontname="Helvetica", fontsize=10];',
    ]
    for i, box in enumerate(scene.boxes):
        label = "\\n".join(_escaped(line) for line in (box.name, *box.lines))
        lines.append(f'  n{i} [label="{label}", fillcolor="{COLORS[box.kind]}"];')
    for arrow in scene.arrows:
        label = f" [label={_quoted(arrow.label)}]" if arrow.label else ""
        lines.append(f"  n{arrow.source} -> n{arrow.target}{label};")
    return "\n".join([*lines, "}"]) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'
