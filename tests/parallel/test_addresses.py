import socket

from caffepy.parallel.addresses import connect_to_first, own_addresses


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
