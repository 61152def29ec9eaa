import socket

import pytest

from caffepy.parallel.launch import addresses
from caffepy.parallel.launch.addresses import address_towards, connect_to_first, interface_of, own_addresses, reached_at


def test_the_loopback_is_always_there_and_last() -> None:
    addresses = own_addresses()
    assert addresses[-1] == "127.0.0.1"
    assert len(set(addresses)) == len(addresses)


def test_the_first_address_that_answers_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connection = connect_to_first(["256.0.0.1", "127.0.0.1"], listener.getsockname()[1])
        assert connection is not None
        with connection:
            assert connection.getpeername() == listener.getsockname()


def test_nobody_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert connect_to_first(["127.0.0.1"], port) is None


def test_a_host_that_calls_itself_by_a_loopback_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Debian's hosts file has it: ``127.0.1.1 host1``."""
    monkeypatch.setattr(addresses, "_interfaces", lambda: [("lo", "127.0.0.1"), ("eth0", "10.77.0.1")])
    monkeypatch.setattr(addresses, "address_towards", lambda other: {"host2": "10.77.0.1"}.get(other, ""))
    monkeypatch.setattr(
        addresses.socket, "gethostbyname", {"host1": "127.0.1.1", "10.77.0.1": "10.77.0.1", "outside": "8.8.8.8"}.__getitem__
    )
    assert reached_at("host1", "host2") == "10.77.0.1"
    assert reached_at("10.77.0.1", "host2") == "10.77.0.1"
    assert reached_at("outside", "host2") == "10.77.0.1", "an address that another machine translates"
    assert (interface_of("10.77.0.1"), interface_of("8.8.8.8")) == ("eth0", "")


def test_the_way_to_another_host() -> None:
    assert address_towards("127.0.0.1") == "127.0.0.1"
    assert address_towards("256.0.0.1") == ""
