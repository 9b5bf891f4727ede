"""A conversation over the socket, byte by byte: from the handshake to the end of cursors and transactions."""

import struct
import threading

import pytest
from tests.standins.db2.raw_client import NOT_HELD, SECTION, RawClient, code_of, ebcdic, point, sql
from tests.standins.db2.scripted import ScriptedServer, Table

from tailrace_standins.db2.drda.codepoints import Command, Data, Parameter, Reply
from tailrace_standins.db2.drda.objects import made, objects
from tailrace_standins.db2.drda.packages import Section
from tailrace_standins.db2.server import StandIn
from tailrace_standins.db2.session import Column, Isolation, SqlError
from tailrace_standins.db2.values import SqlType

ID = Column("ID", SqlType("integer"), nullable=False)
ROW = 6  # its bytes
SMALL_BLOCKS = made(Parameter.QRYBLKSZ, struct.pack(">I", 512))
OTHER = SECTION.of_number(2)


@pytest.fixture
def client(scripted: ScriptedServer, server: StandIn) -> RawClient:
    scripted.tables["t"] = Table((ID,), [(number,) for number in range(200)])
    return RawClient(server.port).entered(scripted.password)


def opened(client: RawClient, section: Section, text: str = "SELECT * FROM t") -> list[tuple[int, bytes]]:
    assert code_of(client.prepare(section, text)[0][1]) == 0
    return client.of(Command.OPNQRY, section, SMALL_BLOCKS)


def ids(answers: list[tuple[int, bytes]]) -> list[int]:
    data = b"".join(data for each, data in answers if each == Data.QRYDTA)
    return [struct.unpack_from("<i", data, at + 2)[0] for at in range(0, len(data), ROW)]


def test_levels_are_the_lower_ones_of_both(server: StandIn) -> None:
    with RawClient(server.port) as client:
        asked = struct.pack(">8H", 0x2407, 12, 0x1403, 7, 0x1C08, 1208, 0x9999, 3)
        ((reply, data),) = client.ask(Command.EXCSAT, made(Parameter.EXTNAM, b""), made(Parameter.MGRLVLLS, asked))
    told = dict(objects(data))
    assert reply == Reply.EXCSATRD
    assert struct.unpack(">8H", told[Parameter.MGRLVLLS]) == (0x2407, 11, 0x1403, 7, 0x1C08, 0, 0x9999, 0)
    assert told[Parameter.EXTNAM] == ebcdic("db2sysc")
    assert Parameter.SRVCLSNM not in told


def test_a_client_that_asks_for_nothing_sees_that_the_server_is_there(client: RawClient) -> None:
    assert client.ask(Command.EXCSAT) == [(Reply.EXCSATRD, b"")]


def test_any_mechanism_of_security_is_answered_with_user_and_password(server: StandIn) -> None:
    with RawClient(server.port) as client:
        ((_, data),) = client.ask(Command.ACCSEC, made(Parameter.SECMEC, b"\x00\x09"))
    assert dict(objects(data))[Parameter.SECMEC] == b"\x00\x03"


def test_a_wrong_password_is_told_and_ends_the_connection(scripted: ScriptedServer, server: StandIn) -> None:
    with RawClient(server.port) as client:
        ((reply, data),) = client.check("wrong")
        assert reply == Reply.SECCHKRM
        assert dict(objects(data))[Parameter.SECCHKCD] == b"\x0f"
        with pytest.raises(OSError, match=r"closed|reset|Broken"):
            client.access("TESTDB")
    assert scripted.logins == []


def test_after_an_error_the_rest_of_a_chain_is_left_out_unless_the_client_wants_it(server: StandIn) -> None:
    early = (made(Command.ACCRDB, made(Parameter.RDBNAM, ebcdic("TESTDB"))), ())
    alive = (made(Command.EXCSAT), ())
    with RawClient(server.port) as client:
        assert point(client.chain([early, alive])) == [Reply.PRCCNVRM]
        assert point(client.chain([early, alive], goes_on=True)) == [Reply.PRCCNVRM, Reply.EXCSATRD]


def test_an_unknown_database_is_told(scripted: ScriptedServer, server: StandIn) -> None:
    with RawClient(server.port) as client:
        client.check(scripted.password)
        assert point(client.access("NOSUCH")) == [Reply.RDBNFNRM]


def test_commands_before_the_database_and_unknown_ones_are_refused(server: StandIn, client: RawClient) -> None:
    with RawClient(server.port) as early:
        assert point(early.ask(Command.RDBCMM)) == [Reply.RDBNACRM]
    assert point(client.ask(0x1050)) == [Reply.CMDNSPRM]
    assert point(client.ask(Command.RDBCMM)) == [Reply.ENDUOWRM, Data.SQLCARD]


def test_bytes_of_another_protocol_close_the_connection(server: StandIn) -> None:
    with RawClient(server.port) as client:
        client._socket.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with pytest.raises(ConnectionError):
            client._answers()


def test_rows_come_in_blocks_and_the_end_with_the_last(client: RawClient) -> None:
    first = opened(client, SECTION)
    assert point(first) == [Reply.OPNQRYRM, Data.QRYDSC, Data.QRYDTA]
    found, blocks = ids(first), 1
    while point(answers := client.of(Command.CNTQRY, SECTION, SMALL_BLOCKS)) == [Data.QRYDTA]:
        found, blocks = found + ids(answers), blocks + 1
        assert len(answers[0][1]) <= 512
    assert point(answers) == [Data.QRYDTA, Reply.ENDQRYRM, Data.SQLCARD]
    assert code_of(answers[-1][1]) == 100
    assert found + ids(answers) == list(range(200))
    assert blocks + 1 == -(-200 // ((512 - 32) // ROW))
    assert point(client.of(Command.CNTQRY, SECTION)) == [Reply.QRYNOPRM, Data.SQLCARD]


def test_an_empty_result_ends_at_once(scripted: ScriptedServer, client: RawClient) -> None:
    scripted.tables["t"].rows.clear()
    assert point(opened(client, SECTION)) == [Reply.OPNQRYRM, Data.QRYDSC, Reply.ENDQRYRM, Data.SQLCARD]


def test_a_row_larger_than_a_block_is_sent_whole(scripted: ScriptedServer, client: RawClient) -> None:
    scripted.tables["t"] = Table((Column("V", SqlType("varchar", 32672), nullable=False),), [("x" * 32000,)] * 2)
    assert len(dict(opened(client, SECTION))[Data.QRYDTA]) == 32004
    assert point(client.of(Command.CNTQRY, SECTION)) == [Data.QRYDTA, Reply.ENDQRYRM, Data.SQLCARD]


def test_cursors_are_read_side_by_side(client: RawClient) -> None:
    assert ids(opened(client, SECTION))[0] == ids(opened(client, OTHER))[0] == 0
    for _ in range(2):
        assert ids(client.of(Command.CNTQRY, SECTION)) == ids(client.of(Command.CNTQRY, OTHER)) != []


def test_a_closed_cursor_lets_its_rows_go(scripted: ScriptedServer, client: RawClient) -> None:
    opened(client, SECTION)
    assert scripted.sessions[0].open_results == 1
    assert code_of(client.of(Command.CLSQRY, SECTION)[0][1]) == 0
    assert scripted.sessions[0].open_results == 0


def test_an_open_cursor_is_not_opened_again(client: RawClient) -> None:
    opened(client, SECTION)
    answers = client.of(Command.OPNQRY, SECTION)
    assert point(answers) == [Reply.OPNQFLRM, Data.SQLCARD]
    assert code_of(answers[-1][1]) == -502


def test_a_commit_closes_the_cursors_that_are_not_held(scripted: ScriptedServer, client: RawClient) -> None:
    opened(client, SECTION)
    opened(client, NOT_HELD)
    assert point(client.ask(Command.RDBCMM)) == [Reply.ENDUOWRM, Data.SQLCARD]
    assert point(client.of(Command.CNTQRY, NOT_HELD)) == [Reply.QRYNOPRM, Data.SQLCARD]
    assert ids(client.of(Command.CNTQRY, SECTION)) != []
    assert scripted.sessions[0].asked[-1] == "commit"


@pytest.mark.parametrize("how", ["command", "statement"])
def test_a_rollback_closes_all_cursors(scripted: ScriptedServer, client: RawClient, how: str) -> None:
    opened(client, SECTION)
    answers = (
        client.ask(Command.RDBRLLBCK)
        if how == "command"
        else client.of(Command.EXCSQLIMM, OTHER, given=(sql("ROLLBACK"),))
    )
    assert dict(objects(answers[0][1]))[Parameter.UOWDSP] == b"\x02"
    assert scripted.sessions[0].open_results == 0


def test_an_error_within_rows_comes_after_them(scripted: ScriptedServer, client: RawClient) -> None:
    scripted.tables["t"] = Table((ID,), [(1,)], SqlError(-952, "57014"))
    answers = opened(client, SECTION)
    assert point(answers) == [Reply.OPNQRYRM, Data.QRYDSC, Reply.ENDQRYRM, Data.SQLCARD]
    assert code_of(answers[-1][1]) == -952


def test_a_deadlock_ends_the_unit_of_work(scripted: ScriptedServer, client: RawClient) -> None:
    opened(client, SECTION)
    scripted.failures["DELETE FROM t"] = SqlError(-911, "40001", "2")
    answers = client.of(Command.EXCSQLIMM, OTHER, given=(sql("DELETE FROM t"),))
    assert point(answers) == [Reply.ABNUOWRM, Data.SQLCARD]
    assert code_of(answers[-1][1]) == -911
    assert scripted.sessions[0].open_results == 0


def test_statements_fail_with_the_codes_of_db2(client: RawClient) -> None:
    assert code_of(client.prepare(SECTION, "SELECT * FROM nosuch")[0][1]) == -204
    assert code_of(client.of(Command.OPNQRY, SECTION)[-1][1]) == -514
    client.prepare(SECTION, "DELETE FROM t")
    assert code_of(client.of(Command.OPNQRY, SECTION)[-1][1]) == -517
    client.prepare(SECTION, "INSERT INTO t VALUES (?)")
    assert code_of(client.of(Command.EXCSQLSTT, SECTION)[-1][1]) == -313


def test_a_failure_of_the_engine_is_told_and_the_connection_goes_on(client: RawClient, scripted: ScriptedServer) -> None:
    scripted.tables["t"].rows[:] = [("no number",)]
    assert code_of(opened(client, SECTION)[-1][1]) == -901
    scripted.tables["t"].rows[:] = [(5,)]
    assert ids(opened(client, OTHER)) == [5]


def test_the_isolation_is_that_of_the_package(scripted: ScriptedServer, client: RawClient) -> None:
    opened(client, Section("TESTDB", "NULLID", "SYSSH400", b"SYSLVL01", 3))
    assert scripted.sessions[0].isolations == [Isolation.REPEATABLE_READ]


def test_what_a_client_tells_of_itself_is_not_for_the_engine(scripted: ScriptedServer, client: RawClient) -> None:
    given = (sql("SET CLIENT WRKSTNNAME 'here'"), sql("SET CURRENT SCHEMA x"))
    assert code_of(client.ask(Command.EXCSQLSET, given=given)[0][1]) == 0
    assert scripted.sessions[0].asked == ["SET CURRENT SCHEMA x"]


def test_another_connection_cancels_what_runs(scripted: ScriptedServer, server: StandIn) -> None:
    answers: list[tuple[int, bytes]] = []
    with RawClient(server.port) as running, RawClient(server.port) as other:
        running.check(scripted.password)
        token = dict(objects(running.access("TESTDB")[0][1]))[Parameter.RDBINTTKN]
        wait = threading.Thread(
            target=lambda: answers.extend(running.of(Command.EXCSQLIMM, SECTION, given=(sql("WAIT"),)))
        )
        wait.start()
        other.ask(Command.INTRDBRQS, made(Parameter.RDBINTTKN, token))
        wait.join(20)
    assert [code_of(data) for _, data in answers] == [-952]


def test_a_client_that_goes_leaves_no_session(scripted: ScriptedServer, server: StandIn, client: RawClient) -> None:
    opened(client, SECTION)
    client._socket.close()
    assert scripted.sessions[0].closed.wait(20)
    assert scripted.sessions[0].open_results == 0


def test_the_server_stops_with_clients_connected(scripted: ScriptedServer) -> None:
    with StandIn(scripted) as server, RawClient(server.port) as client:
        client.entered(scripted.password)
        server.stop()
        assert scripted.sessions[0].closed.is_set()
        with pytest.raises(OSError, match=r"."):
            client.ask(Command.EXCSAT)
    assert server.port == 0
