"""Ranks that find one another by torch."""

from __future__ import annotations

import pytest
import torch.distributed as dist

from caffepy.parallel.transport import torch_group


@pytest.mark.parametrize("listens", [torch_group.LIBUV_LISTENS, False], ids=["own kind", "as with torch before 2.8"])
def test_a_store_at_one_address_is_found_by_other_ranks(listens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_group, "LIBUV_LISTENS", listens)
    store = torch_group.listening_store("127.0.0.1")
    other = dist.TCPStore("127.0.0.1", store.port, is_master=False, wait_for_workers=False)
    other.set("who", "the other")
    assert store.get("who") == b"the other"
