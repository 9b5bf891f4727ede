"""A listener routes each connection to some replica, and one may be behind another.

The stand-in's secondary has no delay: the test simulates it by the max LSN that it returns.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from support.sqlserver_reading import Read, batches, begin, read_on, settings_of, told
from tailrace.connectors.base import LogRange, Progress
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.pending_chunks import read_pending
from tailrace.connectors.change_tables.snapshots.source import LSN
from tailrace.connectors.change_tables.start_positions import restart_now
from tailrace.connectors.sqlserver import catalog, replicas, transactions
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.connectors.sqlserver.snapshots.incremental import incremental_reader
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.connectors.sqlserver.snapshots.source import SqlServerSource, opened_source
from tailrace.connectors.sqlserver.transactions import Head
from tailrace.errors import PositionLostError, RetriableError
from tailrace.requested_work.work import TableWork, Work
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Segment
from tailrace_standins.servers.sqlserver_server import Database, Server, StandInServer


@dataclass
class Replica:
    """A database that is read on a secondary.

    Attributes:
        behind: up to where the secondary is captured, and how often it says so still.
        session: the one that is behind; None: all are.

    """

    database: Database
    settings: Any
    behind: list[Lsn] = field(default_factory=list)
    session: Session | None = None

    def is_behind(self, session: Session) -> bool:
        return bool(self.behind) and self.session in (None, session)

    def write(self, number: int) -> None:
        self.database.sql(f"INSERT a VALUES ({number})")
        self.database.capture_all()

    def head(self) -> Lsn:
        return Lsn(self.database.max_lsn())


@pytest.fixture
def replica(sqlserver_server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Replica]:
    if not isinstance(sqlserver_server, StandInServer):
        pytest.skip("it takes an availability group")
    with StandInServer() as server:
        database = server.create_database()
        database.sql("CREATE TABLE a (id int PRIMARY KEY)")
        database.capture("a")
        port = str(server.command("secondary", database.name))
        found = Replica(database, settings_of(database, database_port=port, database_applicationIntent="ReadOnly"))
        real, head = catalog.max_lsn, transactions.head
        monkeypatch.setattr(catalog, "max_lsn", lambda session: found.behind.pop() if found.is_behind(session) else real(session))
        monkeypatch.setattr(
            transactions, "head", lambda session: Head(found.behind[-1], 0) if found.is_behind(session) else head(session)
        )
        monkeypatch.setattr(replicas, "PATIENCE_SECONDS", 0.5)
        monkeypatch.setattr(replicas, "POLL_SECONDS", 0.01)
        yield found


def ids(read: Read) -> list[Any]:
    return [after["id"] for _, _, after in told(read.of("dbo.a"))]


def within_a_window(read: Read, name: str, end: Mapping[str, Any]) -> Read:
    """The same, stopped within a window that another replica had."""
    place = {**read.progress.restart[name], "until": end["lsn"], "table": "dbo.a", "landmark": end["landmark"]}
    return replace(read, progress=replace(read.progress, restart={name: place}))


def test_what_comes_next_is_read_when_the_replica_has_come_to_where_it_was_read_up_to(replica: Replica) -> None:
    read = begin(replica.settings)
    early = replica.head()
    replica.write(1)
    read_on(replica.settings, read)
    replica.write(2)
    end = SqlServerConnector(replica.settings).head()
    replica.behind = [early] * 7
    read_on(replica.settings, read, until=end)
    assert ids(read) == [1, 2]
    assert replica.behind == []


@pytest.mark.parametrize("partly", [False, True])
def test_a_replica_that_stays_behind_is_no_restored_database_and_nothing_is_passed_over(replica: Replica, partly: bool) -> None:
    read = begin(replica.settings)
    early = replica.head()
    replica.write(1)
    read_on(replica.settings, read)
    if partly:
        replica.write(2)
        name = replica.database.name
        read = within_a_window(read, name, SqlServerConnector(replica.settings).head()[name])
    else:
        read_on(replica.settings, read)
    connector = SqlServerConnector(replica.settings)
    replica.behind = [early] * 10_000
    with pytest.raises(RetriableError, match="behind the one that was read before"):
        next(connector.read(LogRange(read.progress.restart), read.progress, read.history))
    with pytest.raises(RetriableError, match="behind the one that was read before"):
        connector.require_retained(read.progress, lambda: read.history)
    replica.behind = []
    replica.write(3)
    read_on(replica.settings, read)
    assert ids(read) == ([1, 2, 3] if partly else [1, 3])


def test_the_end_of_a_range_is_waited_for_too(replica: Replica) -> None:
    read = begin(replica.settings)
    early = replica.head()
    replica.write(1)
    end = SqlServerConnector(replica.settings).head()
    replica.behind = [early] * 10_000
    with pytest.raises(RetriableError, match="behind the one that was read before"):
        list(batches(replica.settings, read, until=end))


def test_rows_of_a_snapshot_are_read_where_its_position_is_known(replica: Replica) -> None:
    """WHEN the replica of the session for rows is behind P, THEN none of its rows is taken for one of P."""
    replica.write(1)
    early = replica.head()
    replica.write(2)
    settings = replica.settings
    point = restart_now(SqlServerDialect(settings)).to_dict()
    source, table = source_of(replica, point)
    with closing(source):
        replica.behind = [early] * 10_000
        with pytest.raises(RetriableError, match="behind the one that was read before"):
            source.database(table).reading()
        replica.behind = [early] * 5
        assert source.database(table).reading().rows("SELECT id FROM a ORDER BY id") == [(1,), (2,)]
        assert replica.behind == []
        replica.write(3)
        replica.behind = [early] * 5
        source.move(table, replica.head())
        assert replica.behind == []
    replica.behind = [early] * 10_000
    with pytest.raises(RetriableError, match="behind the one that was read before"):
        source_of(replica, point)


def source_of(replica: Replica, point: dict[str, Any]) -> tuple[SqlServerSource, TableId]:
    table = TableId(replica.database.name, "dbo", "a")
    key = ChunkKey("", (KeyColumn("id", Kind.INT, "int"),))
    return opened_source(replica.settings, point, {quoted_id(table): key.to_dict()}), table


def test_a_snapshot_that_goes_on_reads_the_log_where_it_is_known_up_to_where_it_stood(replica: Replica) -> None:
    """WHEN the session for the log has P and not yet H, THEN no change between is taken for one that is not there."""
    replica.write(1)
    point = restart_now(SqlServerDialect(replica.settings)).to_dict()
    early = replica.head()
    replica.write(2)
    source, table = source_of(replica, point)
    upto = {LSN: {replica.database.name: replica.head().text}}
    with closing(source):
        replica.session, replica.behind = source.database(table).asking, [early] * 10_000
        with pytest.raises(RetriableError, match="behind the one that was read before"):
            list(source.changes(upto))
        replica.behind = [early] * 5
        touched = [touches.table for section in source.changes(upto) for touches in section.touches]
    assert touched == [quoted_id(table)]


def test_chunks_of_an_incremental_snapshot_wait_for_the_log_of_their_own_session(replica: Replica) -> None:
    """WHEN the log was delivered from a replica that is farther, THEN the chunks are delivered when theirs has come there."""
    replica.write(1)
    point = restart_now(SqlServerDialect(replica.settings)).to_dict()
    early = replica.head()
    source, table = source_of(replica, point)
    with closing(source):
        gathered = read_pending(source, Segment(quoted_id(table)))
        replica.write(2)
        gathered.head, place, database = early, replica.head(), source.database(table)
        replica.session, replica.behind = database.asking, [early]
        assert not gathered.is_behind(database, place)
        assert gathered.is_behind(database, place)


def test_an_incremental_snapshot_does_not_keep_the_log_waiting(replica: Replica) -> None:
    settings = replica.settings
    replica.write(1)
    early = replica.head()
    replica.write(2)
    reader = incremental_reader(settings)
    work = Work((TableWork(TableId(replica.database.name, "dbo", "a")),))
    at = LogBoundary(Progress("", restart_now(SqlServerDialect(settings)).to_dict()), POSITIONS)
    replica.behind = [early] * 10_000
    began = time.monotonic()
    assert reader.step(work, at) is None
    assert time.monotonic() - began < 5
    replica.behind = []
    assert reader.step(work, at) is not None
    reader.close()


def test_another_snapshot_waits_for_where_the_one_before_was_delivered(replica: Replica) -> None:
    early = replica.head()
    replica.write(1)
    read = begin(replica.settings)
    replica.behind = [early] * 7
    assert SqlServerConnector(replica.settings).start_point(1, (read.progress,)).progress is not None
    replica.behind = [early] * 10_000
    with pytest.raises(RetriableError, match="behind the one that was read before"):
        SqlServerConnector(replica.settings).start_point(1, (read.progress,))


def test_who_is_no_replica_is_not_waited_for(replica: Replica) -> None:
    settings = settings_of(replica.database)
    read = begin(settings)
    name = replica.database.name
    lost = {name: {"lsn": "ffffffff:00000000:0001"}}
    with pytest.raises(PositionLostError, match="restored"):
        next(SqlServerConnector(settings).read(LogRange(lost), replace(read.progress, restart=lost), read.history))
