"""A picture of what a net makes of images: each image beside bars of its likeliest classes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caffepy.data.opencv import decode
from caffepy.proto.atomic import open_file
from caffepy.report.plot_log import save

ROW_IN = 2.4
WIDTH_IN = 8.0
BAR = "#4C78A8"
LONGEST_LABEL = 48
MOST_IMAGES = 40
"""A picture of more rows would be too tall to look at."""

Scores = Sequence[tuple[str, float]]


def draw_classes(found: Sequence[tuple[str, Scores]], path: str) -> None:
    """Write a picture with a row for each image file of ``found``, with its labels and scores.

    All bars are on one scale. UsageError for an ending that no picture has, DataError if it
    cannot be written.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_IN, ROW_IN * len(found)), layout="constrained")
    rows = figure.subplots(len(found), 2, squeeze=False, width_ratios=(1, 2))
    values = [score for _, scores in found for _, score in scores if math.isfinite(score)] or [1.0]
    for (image, scores), (left, right) in zip(found, rows):
        with open_file(image) as file:
            pixels = decode(file.read(), color=True, name=image)
        if pixels is not None:
            left.imshow(pixels[:, :, ::-1])
        left.axis("off")
        left.set_title(shortened(image), fontsize=8)
        places = range(len(scores))
        right.barh(places, [score for _, score in scores], color=BAR)
        right.set_yticks(places, [shortened(label) for label, _ in scores], fontsize=8)
        right.invert_yaxis()
        right.bar_label(right.containers[0], [f"{score:.4f}" for _, score in scores], fontsize=8)
        right.set_xlim(min(0.0, 1.15 * min(values)), 1.15 * max(1e-9, *values))
    save(figure, path)


def shortened(text: str) -> str:
    """The end of a long text, where names of files differ."""
    return text if len(text) <= LONGEST_LABEL else f"…{text[-LONGEST_LABEL:]}"
