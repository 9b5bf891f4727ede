"""Sessions over the real driver on the stand-in: results, parameters, and what each failure is called."""

from __future__ import annotations

import socket
import struct
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from tests.standins.db2.drivers.server_certificate import written_pair

from support.cutting_proxy import CuttingProxy
from tailrace.config.secret import Secret
from tailrace.connectors.db2.connection import Address, Session, connect_to, driver
from tailrace.connectors.db2.driver_calls import DriverCalls
from tailrace.connectors.db2.errors_of_driver import LockTimeoutError, QueryTimeoutError, is_of_driver, of_driver
from tailrace.connectors.db2.own_sockets import connected_to
from tailrace.errors import ConfigError, RetriableError, SourceSetupError, TailraceError
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.server import StandIn

pytest.importorskip("adbc_driver_db2", reason="adbc-driver-db2 is not installed")
pytestmark = pytest.mark.drivers
PASSWORD = "Tailrace-1"


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    session = made.session()
    session.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, B VARCHAR(16) FOR BIT DATA, V VARCHAR(100))")
    session.run("INSERT INTO S.T VALUES " + ", ".join(f"({i}, X'{i:08x}', 'text')" for i in range(3000)))
    session.commit()
    yield made
    made.close()


@pytest.fixture
def server(engine: Engine) -> Iterator[StandIn]:
    with StandIn(engine) as started:
        yield started


def address(port: int, password: str = PASSWORD, database: str = "TESTDB", **more: object) -> Address:
    return Address("127.0.0.1", port, database, "db2inst1", Secret(password), **more)  # type: ignore[arg-type]


@pytest.fixture
def session(server: StandIn) -> Iterator[Session]:
    with connect_to(address(server.port)) as made:
        yield made


def test_rows_parameters_and_batches(session: Session) -> None:
    assert session.database == "TESTDB"
    assert session.rows("SELECT ID FROM S.T WHERE B > ? AND ID < ? ORDER BY ID", (2997).to_bytes(4, "big"), 2999) == [(2998,)]
    assert session.one("SELECT ID FROM S.T WHERE ID < 0") is None
    found = pa.Table.from_batches(session.batches("SELECT ID, B FROM S.T ORDER BY ID"))
    assert found.column(0).to_pylist() == list(range(3000))
    assert found.column(1).combine_chunks().view(pa.binary()).to_pylist() == [i.to_bytes(4, "big") for i in range(3000)]


def test_text_that_is_no_utf_8_is_told_with_its_bytes(session: Session) -> None:
    with pytest.raises(SourceSetupError, match=r"is no UTF-8: b'\\x80\\xff'\. Is the database one of code page 1208"):
        session.rows("SELECT X'80FF' FROM SYSIBM.SYSDUMMY1")


def test_changes_are_kept_or_taken_back(session: Session) -> None:
    assert session.execute("DELETE FROM S.T WHERE ID >= 10") == 2990
    session.rollback()
    assert session.execute("INSERT INTO S.T (ID, V) VALUES (?, ?)", 9000, "a") == 1
    session.commit()
    session.rollback()
    assert session.one("SELECT COUNT(*) FROM S.T") == 3001


def test_a_second_statement_never_ends_an_open_result_in_silence(session: Session) -> None:
    batches = session.batches("SELECT ID FROM S.T")
    next(batches)
    with pytest.raises(RuntimeError, match="would end the open result"):
        session.rows("SELECT 1 FROM SYSIBM.SYSDUMMY1")
    with pytest.raises(RuntimeError, match="a rollback would end the open result"):
        session.rollback()
    with pytest.raises(RuntimeError, match="a commit would end the open result"):
        session.commit()
    batches.close()  # type: ignore[attr-defined]
    assert session.one("SELECT 1 FROM SYSIBM.SYSDUMMY1") == 1


LARGE = "SELECT ID, REPEAT('x', 3000) FROM S.T ORDER BY ID"  # 9 MB: several batches of the driver


def test_a_result_that_is_closed_early_leaves_its_session_to_the_next_statement(session: Session) -> None:
    for _ in range(5):  # the next batch is on its way at any state
        open_ = session.batches(LARGE)
        assert 0 < next(open_).num_rows < 3000
        open_.close()  # type: ignore[attr-defined]
        assert session.one("SELECT COUNT(*) FROM S.T") == 3000
    session.rollback()
    assert sum(batch.num_rows for batch in session.batches(LARGE)) == 3000


def test_rows_before_a_cut_come_and_then_its_error(server: StandIn) -> None:
    with CuttingProxy("127.0.0.1", server.port) as proxy, connect_to(address(proxy.port)) as session:
        sizes: list[int] = []

        def read() -> None:
            for batch in session.batches(LARGE.replace("S.T", "S.T AS a, S.T AS b").replace("ID,", "a.ID,")):
                sizes.append(batch.num_rows)
                proxy.cut()

        with pytest.raises(RetriableError, match=r"SELECT a\.ID, "):
            read()
    assert sizes


def test_a_server_that_falls_silent_in_the_middle_of_a_result_is_given_up(server: StandIn) -> None:
    with CuttingProxy("127.0.0.1", server.port) as proxy:
        session = connect_to(address(proxy.port, query_seconds=0.5))
        batches = session.batches("SELECT a.ID, REPEAT('x', 3000) FROM S.T AS a, S.T AS b ORDER BY a.ID")
        assert next(batches).num_rows
        proxy.block()
        with pytest.raises(QueryTimeoutError, match=r"database\.query\.timeout\.ms=500"):
            list(batches)
        with pytest.raises(RetriableError, match="given up"):
            session.one("SELECT COUNT(*) FROM S.T")
        session.close()


def test_a_statement_that_takes_too_long_is_ended_on_the_server_too(engine: Engine, server: StandIn) -> None:
    """A million million rows are counted: that would take days."""
    others = set(engine.sessions)
    session = connect_to(address(server.port, query_seconds=0.5))
    (running,) = set(engine.sessions) - others
    many = ", ".join(f"S.T AS T{number}" for number in range(4))
    with pytest.raises(QueryTimeoutError):
        session.one(f"SELECT COUNT(*) FROM {many}")
    session.close()
    for _ in range(1000):
        if running not in engine.sessions and not connected_to(server.port):
            return
        time.sleep(0.01)
    pytest.fail("the server goes on with it, or the connection is still open")


def test_a_session_that_is_closed_leaves_nobody_waiting(server: StandIn) -> None:
    session = connect_to(address(server.port))
    batches = session.batches(LARGE)
    next(batches)
    session.close()
    session.close()
    with pytest.raises(RetriableError):
        list(batches)
    for call in (session.commit, session.rollback):
        with pytest.raises(RetriableError, match="closed"):
            call()


def test_an_error_in_the_middle_of_a_result_has_its_meaning(session: Session) -> None:
    sizes: list[int] = []

    def read() -> None:
        batches = session.batches("SELECT ID, REPEAT('x', 3000), 1 / (2500 - ID) FROM S.T ORDER BY ID")
        sizes.extend(batch.num_rows for batch in batches)

    with pytest.raises(SourceSetupError, match="SQLCODE=-801"):
        read()
    assert 0 < sum(sizes) <= 2500


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("[Db2] db2: SQLCODE=-911 SQLSTATE=40001: SQL error", LockTimeoutError),
        ("[Db2] db2: SQLCODE=-1224 SQLSTATE=55032: SQL error", RetriableError),
        ("read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", RetriableError),
        ("unexpected EOF", RetriableError),
    ],
)
def test_errors_that_come_through_arrow_are_those_of_statements(words: str, kind: type[TailraceError]) -> None:
    error = OSError(words)
    assert is_of_driver(error, driver())
    assert isinstance(of_driver(error, "reading"), kind)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("certificate is valid for db2.example.org, not localhost", "must be for the host that database.hostname names"),
        ("cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs", "database.hostname"),
        ("certificate has expired or is not yet valid: current time is after", "a certificate that is valid now"),
        ("certificate signed by unknown authority", "the authority of its certificate"),
    ],
)
def test_a_certificate_that_does_not_do_is_told_with_what_to_do(words: str, hint: str) -> None:
    told = of_driver(OSError(f"drda: TLS handshake with h:1: tls: failed to verify certificate: x509: {words}"), "connecting")
    assert isinstance(told, ConfigError)
    assert hint in str(told)


def test_an_error_of_who_reads_is_the_one_that_is_raised(session: Session) -> None:
    def read() -> None:
        with closing(session.batches(LARGE)) as batches:  # type: ignore[type-var]
            for _ in batches:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read()
    assert session.one("SELECT COUNT(*) FROM S.T") == 3000


@pytest.mark.parametrize(
    ("sql", "kind", "words"),
    [
        ("SELECT * FROM S.NO", SourceSetupError, "SQLCODE=-204"),
        ("SELECT NO FROM S.T", SourceSetupError, "SQLCODE=-206"),
        ("SELECT * FRO S.T", SourceSetupError, "SQLCODE=-104"),
    ],
)
def test_errors_of_statements(session: Session, sql: str, kind: type[TailraceError], words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        session.rows(sql)
    assert sql in str(caught.value)
    assert session.one("SELECT 1 FROM SYSIBM.SYSDUMMY1") == 1


def test_a_lock_that_is_not_granted_is_worth_another_attempt(engine: Engine, session: Session) -> None:
    holder = engine.session()
    holder.run("LOCK TABLE S.T IN EXCLUSIVE MODE")
    session.execute("SET CURRENT LOCK TIMEOUT 0")
    with pytest.raises(RetriableError, match="-911"):
        session.rows("SELECT * FROM S.T")
    holder.rollback()
    assert session.one("SELECT COUNT(*) FROM S.T") == 3000


def test_a_server_that_ends_is_worth_another_attempt(engine: Engine) -> None:
    with StandIn(engine) as server:
        session = connect_to(address(server.port))
    with pytest.raises(RetriableError):
        session.rows("SELECT 1 FROM SYSIBM.SYSDUMMY1")
    session.close()


def refused() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


CASES: dict[str, tuple[Callable[[int], Address], type[TailraceError], str]] = {
    "password": (lambda port: address(port, "not-the-password"), SourceSetupError, "refused the user or the password"),
    "characters": (lambda port: address(port, "pass€word"), SourceSetupError, r"characters that EBCDIC \(code page 500\) lacks"),
    "database": (lambda port: address(port, database="NOWHERE"), ConfigError, "database.dbname"),
    "port": (lambda _: address(refused()), RetriableError, "refused"),
    "TLS to a port without": (lambda port: address(port, tls=True), ConfigError, "SSL_SVCENAME"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_connection_that_fails_says_why_and_no_password(server: StandIn, case: str) -> None:
    made, kind, words = CASES[case]
    given = made(server.port)
    with pytest.raises(kind, match=words) as caught:
        connect_to(given)
    assert given.password.reveal() not in "".join(traceback.format_exception(caught.value)) + repr(given)


def test_a_silent_server_is_given_up() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(RetriableError, match=r"no answer within 0\.5 s"),
    ):
        connect_to(address(silent.getsockname()[1], patience=0.5))


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(range(256)) * 8], ids=["HTTP", "bytes"])
def test_a_port_where_something_else_answers_is_told(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def serve() -> None:
            with other.accept()[0] as connection:
                connection.recv(4096)
                connection.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        with pytest.raises(SourceSetupError, match=r"does not speak Db2's protocol: is database\.port right"):
            connect_to(address(other.getsockname()[1], patience=5))
        serving.join()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_login_that_is_cut_off_is_tried_again(tls: bool) -> None:
    """As by a balancer in front of a server that is being started."""
    with socket.create_server(("127.0.0.1", 0)) as other:

        def serve() -> None:
            connection = other.accept()[0]
            connection.recv(4096)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()  # by RST

        serving = threading.Thread(target=serve)
        serving.start()
        with pytest.raises(RetriableError, match="connection reset"):
            connect_to(address(other.getsockname()[1], patience=5, tls=tls))
        serving.join()


def test_a_session_that_its_own_thread_closes_does_not_wait_for_itself() -> None:
    """As the garbage collector does it."""
    calls, closed = DriverCalls(seconds=5), []
    begun = calls.start(lambda: calls.end(lambda: closed.append(True)))
    begun.result(timeout=5)
    for _ in range(500):
        if closed:
            return
        time.sleep(0.01)
    pytest.fail("it was not closed")


def test_tls_with_the_right_authority_and_with_another(engine: Engine, tmp_path: Path) -> None:
    certificate, authority = written_pair(tmp_path)
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    _, other = written_pair(elsewhere)
    with StandIn(engine, certificate=certificate) as server:
        with connect_to(address(server.port, tls=True, authorities=str(authority))) as session:
            assert session.one("SELECT COUNT(*) FROM S.T") == 3000
        with pytest.raises(ConfigError, match="trust store"):
            connect_to(address(server.port, tls=True, authorities=str(other)))
        with pytest.raises(RetriableError, match=r"If that port takes TLS alone .* set driver\.sslConnection=true"):
            connect_to(address(server.port, patience=5))
