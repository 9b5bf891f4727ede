"""A listener hands each connection to a replica of its own, and one may be behind another.

The stand-in's secondary has no delay: that it is behind is played by what it says of how far it is captured.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from support.sqlserver_reading import Read, batches, begin, read_on, settings_of, told
from tailrace.connectors.base import LogRange
from tailrace.connectors.sqlserver import catalog, replicas, transactions
from tailrace.connectors.sqlserver.beginning import heads
from tailrace.connectors.sqlserver.lsn import Lsn
from tailrace.connectors.sqlserver.positions import restart_at
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.connectors.sqlserver.snapshots.source import SqlServerSource
from tailrace.connectors.sqlserver.transactions import Head
from tailrace.errors import PositionLostError, RetriableError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.testing.sqlserver_database import Database
from tailrace.testing.sqlserver_server import StandInServer


@dataclass
class Replica:
    """A database that is read on a secondary.

    Attributes:
        behind: up to where the secondary is captured, and how often it says so still.

    """

    database: Database
    settings: Any
    behind: list[Lsn] = field(default_factory=list)

    def write(self, number: int) -> None:
        self.database.sql(f"INSERT a VALUES ({number})")
        self.database.capture_all()

    def head(self) -> Lsn:
        return Lsn(self.database.max_lsn())


@pytest.fixture
def replica(monkeypatch: pytest.MonkeyPatch) -> Iterator[Replica]:
    with StandInServer() as server:
        database = server.create_database()
        database.sql("CREATE TABLE a (id int PRIMARY KEY)")
        database.capture("a")
        port = str(server.tell("secondary", database.name))
        found = Replica(database, settings_of(database, database_port=port, database_applicationIntent="ReadOnly"))
        real, head = catalog.max_lsn, transactions.head
        monkeypatch.setattr(catalog, "max_lsn", lambda session: found.behind.pop() if found.behind else real(session))
        monkeypatch.setattr(
            transactions, "head", lambda session: Head(found.behind[-1], 0) if found.behind else head(session)
        )
        monkeypatch.setattr(replicas, "PATIENCE_SECONDS", 0.5)
        monkeypatch.setattr(replicas, "POLL_SECONDS", 0.01)
        yield found


def ids(read: Read) -> list[Any]:
    return [after["id"] for _, _, after in told(read.of("dbo.a"))]


def within_a_window(read: Read, name: str, until: Lsn) -> Read:
    """The same, stopped within a window that another replica had."""
    place = {**read.progress.restart[name], "until": until.text, "table": "dbo.a"}
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
        read = within_a_window(read, replica.database.name, replica.head())
    else:
        read_on(replica.settings, read)
    connector = SqlServerConnector(replica.settings)
    replica.behind = [early] * 10_000
    with pytest.raises(RetriableError, match="behind the one that was read before"):
        next(connector.read(LogRange(read.progress.restart), read.progress, read.history))
    with pytest.raises(RetriableError, match="behind the one that was read before"):
        connector.require_within_reach(read.progress, lambda: read.history)
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
    table = TableId(replica.database.name, "dbo", "a")
    key = ChunkKey("", (KeyColumn("id", Kind.INT, "int"),))
    point = restart_at(heads(settings)).to_dict()
    with closing(SqlServerSource(settings, point, {quoted_id(table): key.to_dict()})) as source:
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
        SqlServerSource(settings, point, {quoted_id(table): key.to_dict()})


def test_who_is_no_replica_is_not_waited_for(replica: Replica) -> None:
    settings = settings_of(replica.database)
    read = begin(settings)
    name = replica.database.name
    lost = {name: {"lsn": "ffffffff:00000000:0001"}}
    with pytest.raises(PositionLostError, match="restored"):
        next(SqlServerConnector(settings).read(LogRange(lost), replace(read.progress, restart=lost), read.history))
