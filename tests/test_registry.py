"""One table of names for layers, fillers, exchanges and the rest."""

from __future__ import annotations

import pytest

from caffepy.parallel.exchange.core.registry import EXCHANGES
from caffepy.registry import FileRegistry, Registry


def test_entries_by_name_in_their_order() -> None:
    table: Registry[int] = Registry("thing")
    table.add("b", 1)
    assert table.named("a", "c")(2) == 2
    assert list(table.items()) == [("b", 1), ("a", 2), ("c", 2)]


def test_a_name_is_given_once() -> None:
    table: Registry[int] = Registry("thing")
    table.add("b", 1)
    with pytest.raises(ValueError, match="^thing b is registered twice: 1 and 2$"):
        table.named("b")(2)
    assert table == {"b": 1}


def test_names_that_files_give_are_known_before_the_files_are_imported() -> None:
    table: FileRegistry[object] = FileRegistry("exchange", decorator="register_exchange", package="caffepy.parallel.exchange")
    assert table.modules["tree"] == "caffepy.parallel.exchange.tree"
    assert "tree" in table
    assert len(table) == len(list(table)) == len(table.modules)
    assert table.loaded == {}


def test_a_name_of_another_file_is_taken_already() -> None:
    with pytest.raises(ValueError, match="^exchange tree is registered twice: "):
        EXCHANGES.add("tree", EXCHANGES["null"], "elsewhere")
