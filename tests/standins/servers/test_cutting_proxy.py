"""The proxy of the crash tests: it carries everything, until it is told not to."""

import socket
import threading

import pytest

from support.cutting_proxy import CuttingProxy
from tailrace_standins.servers.waiting import wait_until


@pytest.fixture
def echo():
    """The port of a server that sends back what it gets."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


@pytest.fixture
def proxy(echo):
    with CuttingProxy("127.0.0.1", echo) as proxy:
        yield proxy


def serve(listener):
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=echo_all, args=(connection,), daemon=True).start()


def echo_all(connection):
    try:
        while data := connection.recv(1 << 16):
            connection.sendall(data)
    except OSError:
        pass
    connection.close()


def connected(proxy):
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=10)


def asked(connection, data=b"hello"):
    connection.sendall(data)
    return received(connection, len(data))


def received(connection, size):
    data = b""
    while len(data) < size and (piece := connection.recv(size - len(data))):
        data += piece
    return data


def assert_hangs_until_unblocked(proxy, connection):
    connection.sendall(b"later")
    connection.settimeout(0.2)
    with pytest.raises(TimeoutError):
        connection.recv(1)
    proxy.unblock()
    connection.settimeout(10)
    assert received(connection, 5) == b"later"


def test_what_is_sent_arrives_both_ways_whole(proxy):
    data = bytes(range(256)) * 4000
    with connected(proxy) as connection:
        threading.Thread(target=connection.sendall, args=(data,), daemon=True).start()
        assert received(connection, len(data)) == data


def test_the_end_of_one_direction_leaves_the_other_open(proxy):
    with connected(proxy) as connection:
        connection.sendall(b"last words")
        connection.shutdown(socket.SHUT_WR)
        assert received(connection, 100) == b"last words"


def test_a_cut_resets_every_connection_and_new_ones_work(proxy):
    first, second = connected(proxy), connected(proxy)
    assert asked(first) == asked(second) == b"hello"
    assert proxy.cut() == 2
    for connection in (first, second):
        with connection, pytest.raises(ConnectionResetError):
            connection.recv(1)
    with connected(proxy) as connection:
        assert asked(connection) == b"hello"


def test_a_blocked_connection_hangs_and_loses_nothing(proxy):
    with connected(proxy) as connection:
        assert asked(connection) == b"hello"
        proxy.block()
        assert_hangs_until_unblocked(proxy, connection)


def test_a_new_connection_hangs_while_blocked(proxy):
    proxy.block()
    with connected(proxy) as connection:
        assert_hangs_until_unblocked(proxy, connection)


def test_a_cut_also_resets_a_connection_that_was_made_while_blocked(proxy):
    proxy.block()
    with connected(proxy) as connection:
        wait_until(lambda: proxy.cut() == 1, 10, lambda: "the connection was not taken")
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
    proxy.unblock()
    with connected(proxy) as connection:
        assert asked(connection) == b"hello"


def test_without_a_target_a_connection_is_reset():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with CuttingProxy("127.0.0.1", port) as proxy, pytest.raises(ConnectionResetError), connected(proxy) as connection:
        connection.recv(1)


def test_after_the_end_nothing_listens(proxy):
    proxy.close()
    with pytest.raises(OSError):
        connected(proxy)
