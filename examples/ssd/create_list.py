"""Lists of VOC's pictures for SSD's tools, as data/VOC0712/create_list.sh of SSD makes them.

    python create_list.py VOC OUT

Reads VOC/ImageSets/Main/{trainval,test}.txt, and writes

OUT/trainval.txt, OUT/test.txt   `JPEGImages/000001.jpg Annotations/000001.xml`, trainval shuffled
OUT/classes.txt                  names of classes, for create_label_map
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from xml.etree import ElementTree


def pairs(voc: Path, name: str) -> list[str]:
    """A line for each picture of ImageSets/Main/NAME.txt: the picture, and its annotation."""
    path = voc / "ImageSets" / "Main" / f"{name}.txt"
    if not path.is_file():
        sys.exit(f"{path} is missing; needed: a list of pictures, a name on each line")
    names = path.read_text().split()
    if not names:
        sys.exit(f"{path} names no picture")
    return [f"JPEGImages/{one}.jpg Annotations/{one}.xml" for one in names]


def classes(voc: Path, lines: list[str]) -> list[str]:
    """The classes that the annotations of these lines name, in alphabetical order."""
    found: set[str] = set()
    for line in lines:
        path = voc / line.split()[1]
        try:
            root = ElementTree.parse(path).getroot()
        except FileNotFoundError:
            sys.exit(f"{path} is missing; ImageSets/Main names it")
        except ElementTree.ParseError as error:
            sys.exit(f"{path} is damaged: {error}")
        found.update(node.findtext("name", "") for node in root.iter("object"))
    if not found:
        sys.exit(f"{voc}: the annotations of trainval.txt name no object")
    return sorted(found)


def main() -> None:
    voc, out = (Path(argument) for argument in sys.argv[1:3])
    train = pairs(voc, "trainval")
    random.Random(1).shuffle(train)
    test = pairs(voc, "test")
    for name, lines in (("trainval", train), ("test", test), ("classes", classes(voc, train))):
        (out / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
