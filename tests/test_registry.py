"""One table of names for layers, fillers, exchanges and the rest."""

from __future__ import annotations

import pytest

from caffepy.registry import Registry


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
