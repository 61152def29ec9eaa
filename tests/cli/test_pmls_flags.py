from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffepy.cli.pmls_flags import IGNORED, client_environ, translate
from caffepy.errors import ParallelError, UsageError
from caffepy.parallel.job.sharing import Sharing
from caffepy.parallel.launch import addresses


def _given(**flags: Any) -> dict[str, Any]:
    """The flags as the command gets them."""
    return {
        "hostfile": "",
        "client_id": 0,
        "num_clients": 1,
        "consistency_model": "",
        "net_outputs": "",
        **dict.fromkeys(IGNORED, ""),
        **flags,
    }


def _sharing(**fields: Any) -> dict[str, Any]:
    return {"exchange": "allreduce", "grad_scale": "mean", "svb": "", **fields}


def test_nothing_given_nothing_said() -> None:
    sharing = _sharing()
    assert translate(_given(), sharing) == []
    assert sharing == _sharing()


@pytest.mark.parametrize("name", IGNORED)
def test_what_is_ignored_says_why(name: str) -> None:
    assert translate(_given(**{name: "3"}), _sharing()) == [f"-{name} 3 is ignored: {IGNORED[name]}"]


@pytest.mark.parametrize("model", ["SSP", "SSPPush", "SSPAggr"])
def test_a_consistency_model_is_the_parameter_server(model: str) -> None:
    sharing = _sharing()
    (line,) = translate(_given(consistency_model=model), sharing)
    assert "-exchange ps" in line
    assert "-grad_scale sum" in line
    assert Sharing(**sharing).exchange == "ps"


def test_an_exchange_that_is_given_stays() -> None:
    sharing = _sharing(exchange="tree")
    assert translate(_given(consistency_model="SSP"), sharing) == []
    assert sharing["exchange"] == "tree"


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(UsageError, match="-consistency_model BSP; needed: one of SSP, SSPPush, SSPAggr"):
        translate(_given(consistency_model="BSP"), _sharing())


@pytest.mark.parametrize(("word", "meaning"), [("true", "on"), ("false", "off"), ("auto", "auto"), ("", "")])
def test_svb_is_a_truth_there(word: str, meaning: str) -> None:
    sharing = _sharing(svb=word)
    translate(_given(), sharing)
    assert sharing["svb"] == meaning


def test_clients_find_each_other_by_the_first_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hosts"
    file.write_text("# id ip port\n0 10.0.0.1 9999\n1 10.0.0.2 9998\n")
    flags = _given(hostfile=str(file), client_id=1, num_clients=2)
    monkeypatch.delenv("GLOO_SOCKET_IFNAME", raising=False)
    monkeypatch.setattr(addresses, "_interfaces", lambda: [("lo", "127.0.0.1"), ("eth7", "10.0.0.2")])
    meeting = {"WORLD_SIZE": "2", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "9999", "CAFFEPY_STARTED_BY": f"-hostfile {file}"}
    assert client_environ(flags, "single") == {**meeting, "RANK": "1", "GLOO_SOCKET_IFNAME": "eth7", "CAFFEPY_LISTEN": ""}
    monkeypatch.setattr(addresses, "_interfaces", lambda: [("lo", "127.0.0.1"), ("eth5", "10.0.0.1")])
    first = {**meeting, "RANK": "0", "GLOO_SOCKET_IFNAME": "eth5", "CAFFEPY_LISTEN": "10.0.0.1"}
    assert client_environ(_given(hostfile=str(file), client_id=0, num_clients=2), "single") == first
    assert client_environ(flags, "mpich") == {}, "a launcher has started the ranks"
    assert client_environ(_given(hostfile=str(file)), "single") == {}, "one client"


def test_clients_that_cannot_be_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("0 10.0.0.1 9999\n")
    for flags, message in (
        ({"client_id": 2, "num_clients": 2}, "-client_id 2 -num_clients 2; needed: an id from 0 to 1"),
        ({"num_clients": 2}, "needed: -hostfile FILE"),
        ({"num_clients": 2, "hostfile": str(file)}, "hosts has 1 machines; needed: as many"),
    ):
        with pytest.raises(UsageError, match=message):
            client_environ(_given(**flags), "single")
    file.write_text("node1:4\n")
    with pytest.raises(ParallelError, match="says nothing of ports"):
        client_environ(_given(num_clients=2, hostfile=str(file)), "single")
