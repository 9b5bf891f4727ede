"""The listening socket and its connections: cuts anywhere, attention, resets, errors, many at once, a clean stop."""

import socket
import struct
import threading
from collections.abc import Iterator

import pytest
from tests.standins.sqlserver.raw_client import HEADERS, PRELOGIN, RawClient, batch, login7
from tests.standins.sqlserver.scripted import ScriptedServer

from tailrace_standins.servers.waiting import wait_until
from tailrace_standins.sqlserver.server import StandIn
from tailrace_standins.sqlserver.session import ResultColumn, ResultSet
from tailrace_standins.sqlserver.tds.packets import HEADER, Kind, packets
from tailrace_standins.sqlserver.tds.rows import encoded_piece
from tailrace_standins.sqlserver.values import SqlType

ROW_1 = bytes.fromhex("d10401000000")
DONE_1 = bytes.fromhex("fd 1000 c100 0100000000000000")
DONE_ATTENTION = bytes.fromhex("fd 2000 0000 0000000000000000")
DONE_ERROR = bytes.fromhex("fd 0200 0000 0000000000000000")
SECONDS = 20


def gone(server: StandIn) -> None:
    """Wait until nobody is connected."""
    wait_until(lambda: server.clients == 0, SECONDS, lambda: f"{server.clients} clients are still there")


@pytest.mark.parametrize("cut", [1, 7, 100])
@pytest.mark.parametrize("packet_size", [512, 4096])
def test_packets_may_be_cut_anywhere(server: StandIn, cut: int, packet_size: int) -> None:
    with RawClient(server.port, packet_size=packet_size, cut=cut) as client:
        assert client.enter().endswith(bytes.fromhex("ae 0a 01000000 01 ff") + bytes.fromhex("fd" + "00" * 12))
        assert client.ask(Kind.BATCH, batch("SELECT 1" + " " * 600)).endswith(ROW_1 + DONE_1)


def test_a_long_answer_comes_in_packets_of_the_agreed_size(scripted: ScriptedServer, server: StandIn) -> None:
    columns = (ResultColumn("a", SqlType("int")),)
    piece = encoded_piece(columns, [(1,)] * 1000)
    scripted.scripts["select many"] = lambda _: [ResultSet(columns, iter([piece] * 50))]
    with RawClient(server.port, packet_size=512) as client:
        client.enter()
        assert client.ask(Kind.BATCH, batch("SELECT many")).count(ROW_1) == 50_000


def test_an_attention_ends_what_runs_and_is_acknowledged(scripted: ScriptedServer, server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.enter()
        client.send(packets(Kind.BATCH, batch("WAITFOR DELAY '1:00'"), 4096))
        wait_until(lambda: bool(scripted.sessions[0].asked), SECONDS, lambda: "it has not begun")
        client.send(packets(Kind.ATTENTION, b"", 4096))
        assert client.answer().endswith(DONE_ERROR)
        assert client.answer() == DONE_ATTENTION
        assert client.ask(Kind.BATCH, batch("SELECT 1")).endswith(DONE_1)


def test_an_attention_when_nothing_runs_is_acknowledged_too(server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.enter()
        assert client.ask(Kind.ATTENTION, b"") == DONE_ATTENTION


def test_an_attention_stops_a_long_answer_that_nobody_reads(scripted: ScriptedServer, server: StandIn) -> None:
    columns = (ResultColumn("a", SqlType("int")),)
    given: list[int] = []

    def endless(_parameters: object) -> Iterator[ResultSet]:
        def pieces() -> Iterator[list[tuple[int]]]:
            while True:
                given.append(1)
                yield [(1,)] * 10_000

        yield ResultSet(columns, pieces())

    scripted.scripts["select endless"] = endless
    with RawClient(server.port) as client:
        client.enter()
        client.send(packets(Kind.BATCH, batch("SELECT endless"), 4096))
        wait_until(lambda: len(given) > 5, SECONDS, lambda: "no rows come")
        client.send(packets(Kind.ATTENTION, b"", 4096))
        assert client.answer().endswith(DONE_ERROR)
        assert client.answer() == DONE_ATTENTION


def test_a_request_that_was_taken_back_is_not_carried_out(scripted: ScriptedServer, server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.enter()
        data = batch("INSERT")
        client.send(HEADER.pack(Kind.BATCH, 0x03, HEADER.size + len(data), 0, 1, 0) + data)
        assert client.answer() == DONE_ERROR
    assert scripted.sessions[0].asked == []


def test_a_reset_comes_before_its_request(scripted: ScriptedServer, server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.enter()
        data = batch("SELECT 1")
        client.send(HEADER.pack(Kind.BATCH, 0x09, HEADER.size + len(data), 0, 1, 0) + data)
        assert client.answer().startswith(bytes.fromhex("e30300 12 00 00"))
    assert [what for what, _ in scripted.sessions[0].asked] == ["reset", "batch"]


def test_a_prepared_statement_lives_until_it_is_let_go_or_the_session_is_reset(server: StandIn) -> None:
    handle = b"\0\0\x26\x04\x04\x01\0\0\0"

    def text(value: str) -> bytes:
        data = value.encode("utf-16-le")
        return b"\0\0\xe7\x40\x1f" + bytes.fromhex("0904d00034") + struct.pack("<H", len(data)) + data

    prepare = HEADERS + b"\xff\xff\x0b\0\0\0" + b"\0\1\x26\x04\0" + text("") + text("SELECT 1")
    execute = HEADERS + b"\xff\xff\x0c\0\0\0" + handle
    with RawClient(server.port) as client:
        client.enter()
        assert bytes.fromhex("ac 0000 00 01 00000000 0000 2604 04 01000000") in client.ask(Kind.RPC, prepare)
        assert ROW_1 in client.ask(Kind.RPC, execute)
        assert b"\xaa" not in client.ask(Kind.RPC, HEADERS + b"\xff\xff\x0f\0\0\0" + handle)
        assert "handle 1".encode("utf-16-le") in client.ask(Kind.RPC, execute)


def test_server_cursors_are_refused_with_a_word(server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.enter()
        assert "does not have server cursors".encode("utf-16-le") in client.ask(
            Kind.RPC, HEADERS + b"\xff\xff\x02\0\0\0"
        )


def test_a_wrong_password_ends_the_connection(server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.ask(Kind.PRELOGIN, PRELOGIN)
        told = client.ask(Kind.LOGIN, login7("wrong"))
        assert "Login failed".encode("utf-16-le") in told
        with pytest.raises(ConnectionError):
            client.answer()
    gone(server)


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n\r\n" * 2000, bytes.fromhex("1603010200") + b"\0" * 600])
def test_what_is_no_tds_ends_the_connection(server: StandIn, data: bytes) -> None:
    with RawClient(server.port) as client:
        client.send(data)
        with pytest.raises(ConnectionError):
            client.answer()
    gone(server)


def test_a_fault_of_the_engine_is_told_and_ends_the_connection(scripted: ScriptedServer, server: StandIn) -> None:
    def faulty(_parameters: object) -> list[ResultSet]:
        raise ZeroDivisionError("by zero")

    scripted.scripts["select faulty"] = faulty
    with RawClient(server.port) as client:
        client.enter()
        assert "The stand-in failed: ZeroDivisionError".encode("utf-16-le") in client.ask(
            Kind.BATCH, batch("SELECT faulty")
        )
        with pytest.raises(ConnectionError):
            client.answer()
    gone(server)
    assert scripted.sessions[0].is_closed.is_set()


def test_a_client_that_goes_leaves_nothing_running(scripted: ScriptedServer, server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.enter()
        client.send(packets(Kind.BATCH, batch("WAITFOR DELAY '1:00'"), 4096))
        wait_until(lambda: bool(scripted.sessions[0].asked), SECONDS, lambda: "it has not begun")
    gone(server)
    assert scripted.sessions[0].is_closed.is_set()


def test_a_stop_closes_all_sessions_and_frees_the_port(scripted: ScriptedServer) -> None:
    with StandIn(scripted) as server:
        clients = [RawClient(server.port) for _ in range(20)]
        for client in clients:
            client.enter()
        clients[0].send(packets(Kind.BATCH, batch("WAITFOR DELAY '1:00'"), 4096))
        wait_until(lambda: bool(scripted.sessions[0].asked), SECONDS, lambda: "it has not begun")
        port = server.port
    assert all(session.is_closed.is_set() for session in scripted.sessions)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("standin")]
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    with StandIn(scripted, port=port) as again, RawClient(again.port) as client:
        client.enter()


def test_a_port_that_is_taken_is_told(server: StandIn, scripted: ScriptedServer) -> None:
    with pytest.raises(OSError, match="in use"):
        StandIn(scripted, port=server.port).start()


def test_an_error_of_a_parameter_is_told_and_the_connection_goes_on(server: StandIn) -> None:
    table = HEADERS + struct.pack("<H", 1) + b"p\0" + b"\0\0" + b"\0\0\xf3\0\0\0\0\0"
    with RawClient(server.port) as client:
        client.enter()
        assert "table-valued parameters".encode("utf-16-le") in client.ask(Kind.RPC, table)
        assert client.ask(Kind.BATCH, batch("SELECT 1")).endswith(DONE_1)
