"""What a database brings to the benchmark: its server, the data in it, how both sides are told of it, and the readers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from bench.change_tables.plan import Sizes
from bench.measuring.servers import Sink

SERVER = "server"  # the group of processes of the stand-in
PARTITIONS = 4
S = TypeVar("S")


@dataclass(frozen=True)
class Servers(Sink, Generic[S]):
    """The servers that both sides connect to.

    Attributes:
        source: the stand-in; it has a `pid`.

    """

    source: S

    def pids(self) -> dict[str, int]:
        """The processes to account for apart."""
        return {**super().pids(), SERVER: self.source.pid}


@dataclass(frozen=True)
class Beginning:
    """The position before the first change, for both sides.

    Attributes:
        position: for `tailrace offsets set`.
        partition: of Debezium's offset, without the topic prefix.
        offset: of Debezium.
        history: Debezium's schema history of the tables, with `ANY_PREFIX` for the topic prefix.

    """

    position: Mapping[str, Any]
    partition: Mapping[str, str]
    offset: Mapping[str, Any]
    history: str


@dataclass(frozen=True)
class Data:
    """A table and its changes.

    Attributes:
        database: where they are.
        beginning: None for a snapshot.
        changes: the number of row changes without the marker; for a snapshot the number of rows.
        change_rows: the number of rows in the change table; an update has two.
        records: the number of records, with tombstones and marker.
        names: of the topics of the table and of the marker, the row that is inserted last, without the topic prefix.
        capture_every: lets changes be captured by themselves, with a polling interval in seconds.

    """

    database: Any
    beginning: Beginning | None
    changes: int
    change_rows: int
    records: int
    names: tuple[str, str]
    capture_every: Callable[[int], None]

    def topic(self, prefix: str) -> str:
        """The topic of the changes."""
        return f"{prefix}.{self.names[0]}"

    def marker(self, prefix: str) -> str:
        """The topic of the marker."""
        return f"{prefix}.{self.names[1]}"


@dataclass(frozen=True)
class IdleTables:
    """Many captured tables, of which one gets a few rows.

    Attributes:
        name: of its topic, without the topic prefix.
        empty: removes its rows.
        insert: a row with this number.

    """

    name: str
    empty: Callable[[], Any]
    insert: Callable[[int], Any]


@dataclass(frozen=True)
class Words:
    """What the pages say.

    Attributes:
        name: of the database: "SQL Server".
        page: of its stand-in, in the reference.
        command: of `./run`.
        instances: what is captured, in plural: "capture instances".
        capturing: who captures: "the capture job".
        notes: paragraphs about what is peculiar to it.

    """

    name: str
    page: str
    command: str
    instances: str
    capturing: str
    notes: str


class System(Protocol):
    """A database with change tables.

    Attributes:
        words: for the pages.
        sizes: of what is measured.
        readers: the names of the readers alone; the first one discards what it gets.
        reading: the module whose program they are (`bench.change_tables.ceiling`).

    """

    words: Words
    sizes: Sizes
    readers: Sequence[str]
    reading: str

    def versions(self) -> dict[str, str]:
        """The versions of all programs."""

    def running(self, patience: float) -> AbstractContextManager[Servers[Any]]:
        """A context with the stand-in and the broker, which are removed at its end."""

    def filled(self, servers: Servers[Any], task: str, changes: int) -> AbstractContextManager[Data]:
        """A context with the table and its captured changes (for a snapshot: its rows only)."""

    def idle_tables(self, servers: Servers[Any], count: int) -> AbstractContextManager[IdleTables]:
        """A context with `count` captured tables, whose changes are captured by themselves."""

    def properties(self, servers: Servers[Any], prefix: str) -> dict[str, str]:
        """The connector's properties, for both sides."""

    def job(self, servers: Servers[Any], data: Data, task: str, reader: str) -> dict[str, Any]:
        """What a reader alone is told: how to log in, and what to read."""
