"""The README and the pages behind it say what the code says, and lead where they say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "tools/campaign/README.md")


@pytest.mark.parametrize("name", ["commands", "layers", "forks"])
def test_tables(name: str, root: Path) -> None:
    script = runpy.run_path(str(root / "tools/dev/readme_tables"))
    _, table, _ = script["split"]((root / script["PAGES"][name]).read_text(encoding="utf-8"), name)
    assert table == script["TABLES"][name](), "out of date: run tools/dev/make_all"


def test_links_lead_to_files(root: Path) -> None:
    pages = [page for pattern in PAGES for page in root.glob(pattern)]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))]
    assert len(links) > 10
    assert [f"{page.relative_to(root)}: {link}" for page, link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_page_is_named_in_the_readme(root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in root.glob("docs/*.md") if f"docs/{page.name}" not in readme] == []


def test_readme_stays_short(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) < 1200
    assert len(text.splitlines()) < 150


def test_recordings_that_are_not_followed_are_on_the_forks_page(root: Path) -> None:
    rows = [line.split("|") for line in (root / "docs/forks.md").read_text(encoding="utf-8").splitlines() if line.count("|") == 4]
    told = {(row[1].strip(), name) for row in rows for name in re.findall(r"`(\w+)`", row[2])}
    source = (root / "tests/golden/test_forks.py").read_text(encoding="utf-8").partition("OF_CPUS")[0]
    known = set(re.findall(r'^    "([\w-]+)/layers/(\w+)/\w+":', source, re.MULTILINE))
    assert len(known) > 5
    assert known - told == set()
