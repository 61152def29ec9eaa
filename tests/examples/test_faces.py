"""The example of faces: its data, how it scores, and all of it in the short form."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.examples.conftest import RunExample

NETS = ("CenterLoss", "A-Softmax", "AM-Softmax", "TripletLoss")


def test_short(run_example: RunExample) -> None:
    result, out = run_example("faces")
    assert [figure["name"] for figure in result["figures"]] == [f"{net} AUC" for net in NETS]
    assert all(0 < figure["value"] <= 1 for figure in result["figures"])
    losses = re.findall(r"loss = (\S+)", (out / "train.log").read_text())
    assert len(losses) >= 4
    assert np.isfinite(np.array(losses, float)).all()
    for net in ("centerface", "sphereface", "amsoftmax", "triplet"):
        assert np.loadtxt(out / f"{net}.txt").shape == (200, 2)


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [0, 2])
def test_whole(ranks: int, run_example: RunExample) -> None:
    result, _ = run_example("faces", short=False, ranks=ranks)
    assert all(figure["reached"] for figure in result["figures"])


@pytest.mark.usefixtures("scripts")
def test_pictures_of_a_person() -> None:
    from draw_face import draw_person, draw_picture

    person = draw_person(np.random.default_rng(4))
    rng = np.random.default_rng(5)
    first, second = draw_picture(rng, person), draw_picture(rng, person)
    assert first.shape == (42, 36, 3)
    assert first.dtype == np.uint8
    assert (first != second).any()
    assert draw_person(np.random.default_rng(4)) == person


@pytest.mark.usefixtures("scripts")
def test_pairs_of_the_generated_data(tmp_path: Path) -> None:
    from make_data import draw_pairs
    from pairs import read_pairs

    names = [f"person_{i}" for i in range(6)]
    rng = np.random.default_rng(1)
    (tmp_path / "pairs.txt").write_text(draw_pairs(names, 3, folds=2, pairs=4, rng=rng))
    pairs = read_pairs(tmp_path)
    assert [pair.fold for pair in pairs] == [0] * 8 + [1] * 8
    people = ({"person_0", "person_2", "person_4"}, {"person_1", "person_3", "person_5"})
    for pair in pairs:
        assert pair.left != pair.right
        assert {pair.left.parent.name, pair.right.parent.name} <= people[pair.fold]
        assert (pair.left.parent == pair.right.parent) == pair.same


@pytest.mark.usefixtures("scripts")
def test_lists_leave_the_tested_people_out(tmp_path: Path) -> None:
    from make_lists import draw_triplets, find_people, named_people

    (tmp_path / "pairs.txt").write_text("10\t300\nAda\t1\t2\nBob\t1\tCarl\t3\n")
    for name in ("Ada", "Bob", "Carl", "Dora", "Emil", "Fritz"):
        (tmp_path / name).mkdir()
        for number in range(1, 2 if name == "Fritz" else 5):
            (tmp_path / name / f"{name}_{number:04d}.jpg").touch()
    tested = named_people(tmp_path / "pairs.txt")
    assert tested == {"Ada", "Bob", "Carl"}
    people = find_people(tmp_path, tested, least=4)
    assert [pictures[0].parent.name for pictures in people] == ["Dora", "Emil"]
    for lines in zip(*draw_triplets(people, 20, np.random.default_rng(1))):
        paths, labels = zip(*(line.split() for line in lines))
        assert labels[0] == labels[1] != labels[2]
        assert paths[0] != paths[1]


@pytest.mark.usefixtures("scripts")
def test_scores() -> None:
    from pairs import area, best_threshold, fold_accuracy

    same = np.array([True, True, False, False])
    assert area(np.array([0.9, 0.8, 0.1, 0.2]), same) == 1
    assert area(np.array([0.9, 0.1, 0.8, 0.0]), same) == 0.75
    assert area(np.array([0.5, 0.5, 0.5, 0.5]), same) == 0.5
    assert best_threshold(np.array([0.9, 0.8, 0.1, 0.2]), same) == 0.2
    # one direction for each person, in two folds
    left = np.array([[3.0, 0], [0, 2], [1, 0], [0, 1]] * 2)
    right = np.array([[1.0, 0], [0, 5], [0, 1], [1, 0]] * 2)
    fold = np.repeat([0, 1], 4)
    assert fold_accuracy(left, right, np.tile(same, 2), fold) == 1


@pytest.mark.usefixtures("scripts")
def test_a_folder_without_pairs_is_told(tmp_path: Path) -> None:
    from make_lists import named_people

    with pytest.raises(SystemExit, match=r"pairs\.txt is missing; needed: LFW's list"):
        named_people(tmp_path / "pairs.txt")
