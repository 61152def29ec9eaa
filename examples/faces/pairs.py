"""Pairs of pictures in the layout of LFW, and how well scores tell the same person from others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Pair:
    """Two pictures, whether they show one person, and the fold of the pair."""

    left: Path
    right: Path
    same: bool
    fold: int


def read_pairs(folder: Path) -> list[Pair]:
    """The pairs of pairs.txt; its first line has the number of folds, and of pairs in each."""
    lines = (folder / "pairs.txt").read_text(encoding="utf-8").splitlines()
    per_fold = 2 * int(lines[0].split("\t")[-1])
    pairs = []
    for i, line in enumerate(lines[1:]):
        words = line.split("\t")
        same = len(words) == 3
        other = words[0] if same else words[2]
        left = picture(folder, words[0], int(words[1]))
        pairs.append(Pair(left, picture(folder, other, int(words[-1])), same, i // per_fold))
    return pairs


def picture(folder: Path, name: str, number: int) -> Path:
    """Where a person's picture lies."""
    return folder / name / f"{name}_{number:04d}.jpg"


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The cosine of each row of one with that row of the other."""
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosine: np.ndarray = (left * right).sum(axis=1) / np.maximum(lengths, 1e-12)
    return cosine


def area(scores: np.ndarray, same: np.ndarray) -> float:
    """The area under the ROC curve: how often a same pair has a higher score than another one."""
    order = np.sort(scores[~same])
    below = np.searchsorted(order, scores[same], side="left")
    not_above = np.searchsorted(order, scores[same], side="right")
    return float((below + not_above).mean() / (2 * len(order)))


def fold_accuracy(left: np.ndarray, right: np.ndarray, same: np.ndarray, fold: np.ndarray) -> float:
    """The mean over the folds; mean feature and threshold come from the others."""
    accuracies = []
    for number in np.unique(fold):
        tested = fold == number
        mean = np.vstack([left[~tested], right[~tested]]).mean(axis=0)
        scores = cosines(left - mean, right - mean)
        threshold = best_threshold(scores[~tested], same[~tested])
        accuracies.append(((scores[tested] > threshold) == same[tested]).mean())
    return float(np.mean(accuracies))


def best_threshold(scores: np.ndarray, same: np.ndarray) -> float:
    """The threshold above which most pairs are rightly taken for the same person."""
    order = np.argsort(scores)
    ranked = same[order]
    right = np.cumsum(~ranked) + ranked.sum() - np.cumsum(ranked)
    return float(scores[order][right.argmax()])
