"""Makes settings and prototxts for the classes of a folder in VOC's layout.

    python set_classes.py FOLDER settings.yml train.prototxt test.prototxt

In a prototxt a number before `# K for each class` becomes K times the classes, with the background.
Training takes the pictures of trainval.txt, tests those of test.txt, or else train.txt and val.txt.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

NUMBER = re.compile(r"\d+(?=[^\d\n#]*# (\d+) for each class)")
SETS = (("trainval", "test"), ("train", "val"), ("train", "test"))


def image_sets(folder: Path) -> tuple[str, str]:
    """The first pair of sets, for training and for tests, that the folder has."""
    lists = folder / "ImageSets" / "Main"
    for pair in SETS:
        if all((lists / f"{name}.txt").is_file() for name in pair):
            return pair
    sys.exit(f"{lists} has no pair of lists: trainval.txt and test.txt, or train.txt and val.txt")


def classes_of(folder: Path, image_set: str) -> list[str]:
    """The names of the objects in the pictures of a set, sorted."""
    names = set()
    for line in (folder / "ImageSets" / "Main" / f"{image_set}.txt").read_text().splitlines():
        if line.strip():
            path = folder / "Annotations" / f"{line.split()[0]}.xml"
            try:
                tree = ElementTree.parse(path)
            except FileNotFoundError:
                sys.exit(f"{path} is missing; {image_set}.txt names it")
            except ElementTree.ParseError as error:
                sys.exit(f"{path} is damaged: {error}")
            names |= {(node.findtext("name") or "").strip() for node in tree.findall("object")}
    return sorted(names)


def with_classes(prototxt: str, classes: int) -> str:
    """A prototxt for so many classes; the background makes one more."""
    return NUMBER.sub(lambda match: str(int(match[1]) * (classes + 1)), prototxt)


def with_data(settings: str, folder: Path, sets: tuple[str, str], classes: list[str]) -> str:
    """Settings for the pictures of a folder."""
    settings = re.sub(r"^DATA:.*", f"DATA: {folder}", settings, flags=re.MULTILINE)
    settings = re.sub(
        r"^CLASSES:.*", f"CLASSES: [{', '.join(classes)}]", settings, flags=re.MULTILINE
    )
    names = iter(sets)
    return re.sub(r"IMAGE_SET:.*", lambda _: f"IMAGE_SET: {next(names)}", settings)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("settings", type=Path)
    parser.add_argument("prototxts", type=Path, nargs="+")
    options = parser.parse_args()
    sets = image_sets(options.folder)
    classes = classes_of(options.folder, sets[0])
    text = options.settings.read_text()
    options.settings.write_text(with_data(text, options.folder.resolve(), sets, classes))
    for path in options.prototxts:
        path.write_text(with_classes(path.read_text(), len(classes)))
    print(f"{len(classes)} classes: {', '.join(classes)}; sets {' and '.join(sets)}")


if __name__ == "__main__":
    main()
