"""What one database knows that writes its changes into tables, and nobody else: its dialect.

Some databases have a program that reads their log and writes what was committed into tables, one for each table that is
captured: a *change table*. With the columns that it has, and the place from which on it has them, it is a *capture
instance*. Reading such a database is the same everywhere: ask how far it is captured, take the transactions up to there as a
window, read each change table in it in order, notice what was cleaned up, go over from an older instance of a table to a newer
one. All of that is this package. What differs stands on this page:

- **Positions** (`Events.lsns`): how wide a log sequence number is. It is opaque; only its order counts, by bytes. A transaction
  has one (the commit), and each of its changes one of its own.
- **Catalogue**: which instances there are, and the structure of their rows.
- **Transactions**: how far the log is captured, and which transactions lie in a window.
- **Rows**: which change tables have rows in a window, how many, how large. The rows themselves are a `rows.RowQuery`.
- **Clean-up** has no calls: an instance whose start has moved on lost what was before (`lost_changes.py`). `Advice` has what to
  do about it.
- **Events**: what the source block has of a position.

Where a snapshot is to know that all which it has seen is captured, the database proves it by `snapshots.capture.Capture`.

A dialect holds the settings and no connection; it is asked with a session of its own kind, which is a type parameter.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tailrace.config.settings import Settings
from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Table, TableId

Session = TypeVar("Session")
"""A connection to one database, for one thread at a time."""
Session_contra = TypeVar("Session_contra", contravariant=True)
"""The same, where none is made."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do about something, in the database's own words and statements, as parts of a message.

    Attributes:
        capture: who writes changes into the tables.
        clean_up: who takes them away again.
        keep_longer: has changes kept for longer.
        second_instance: makes a second capture instance of a table.
        first_instance: of a given table, makes the first one.
        all_columns: has all three columns of a signal table captured.
        own_structures: says where structures come from, so that nobody need give them.

    """

    capture: str
    clean_up: str
    keep_longer: str
    second_instance: str
    first_instance: Callable[[TableId], str]
    all_columns: str
    own_structures: str


class Events(Protocol):
    """What the events of a database have, beside the rows."""

    @property
    def settings(self) -> Settings:
        """Of the connector."""
        ...

    @property
    def lsns(self) -> LsnForm:
        """What its log sequence numbers are like."""
        ...

    @property
    def connector(self) -> str:
        """The name of Debezium's connector, in the names of schemas."""
        ...

    def folded(self, table: TableId) -> TableId:
        """A table as its names are compared: in lower case, say, where case does not matter."""
        ...

    def source_schema(self) -> Schema:
        """The schema of the source block of rows."""
        ...

    def change_schema(self) -> Schema:
        """The schema of the source block of schema-change events."""
        ...

    @property
    def tells_reading_time(self) -> bool:
        """Whether the source block's times say when a change was read, and not when it was made."""
        ...

    def context(self) -> Mapping[str, str]:
        """The headers that every record carries, where they are asked for."""
        ...

    def constants(self, table: TableId) -> Mapping[str, str | None]:
        """The fields of the source block that are the same for all changes of a table."""
        ...

    def source_at(self, lsn: Lsn) -> Mapping[str, Any]:
        """The fields of the source block that name a place, of what is told at an LSN and is no change of a row."""
        ...

    def history_position(self, lsn: Lsn) -> Mapping[str, Any]:
        """An LSN as Debezium's schema history has positions."""
        ...


class Catalogue(Events, Protocol[Session_contra]):
    """What the database says of its capture instances; `session` is a connection to it."""

    def database(self, session: Session_contra) -> str:
        """Which database a session is in, as the server spells it."""
        ...

    def instances(self, session: Session_contra) -> Sequence[Instance]:
        """The instances, by table and in the order in which they are to be read; without those in `hidden`."""
        ...

    def hidden(self, session: Session_contra) -> Sequence[tuple[str, int]]:
        """The instances whose source table the user may not see: name, number of the change table."""
        ...

    def stamp(self, session: Session_contra) -> object:
        """What differs once an instance has come, gone or got another start, or its table was altered; cheap to ask for."""
        ...

    def altered(self, session: Session_contra) -> Collection[int]:
        """The numbers of the change tables whose source table was altered since the instance was made."""
        ...

    def structures(self, session: Session_contra, wanted: Callable[[TableId], bool]) -> Mapping[TableId, Table]:
        """The wanted source tables as they are now, in the order of their names."""
        ...

    def column_types(self, session: Session_contra) -> Mapping[int, Types]:
        """By number of a change table: those of its columns that have another type than the source table's."""
        ...

    def name_in_database(self, table: TableId) -> str:
        """What progress calls a table; a window's tables are delivered in the order of these names."""
        ...

    @property
    def advice(self) -> Advice:
        """What to do about what is lost or not captured."""
        ...


class Log(Protocol[Session]):
    """One database's log while it is read, with what is kept in between: its clock, say."""

    @property
    def most_transactions(self) -> int | None:
        """How many transactions a window has at most, where the configuration says it."""
        ...

    def connect(self) -> AbstractContextManager[Session]:
        """A session in the database, which was there when reading began.

        Raises:
            RetriableError: it is not there now. Else as the connector's sessions do.

        """
        ...

    def head(self, session: Session) -> Lsn:
        """How far it is captured: all transactions up to there are in the change tables, to the last row."""
        ...

    def transactions(self, session: Session, window: Window, at_most: int) -> Transactions:
        """The first transactions of a window, of those that have changes, of rows or of structure."""
        ...

    def look_why_quiet(self, session: Session, head: Lsn) -> None:
        """Nothing new is captured: where that lasts, and nobody captures, say so."""
        ...


class Dialect(Catalogue[Session], Protocol[Session]):
    """All that one kind of database knows."""

    @property
    def databases(self) -> Sequence[str]:
        """Those of the configuration, each with a log of its own."""
        ...

    def connect(self, database: str) -> AbstractContextManager[Session]:
        """A session in a database. Raises as the connector's sessions do."""
        ...

    def require_captured(self, session: Session, database: str) -> str:
        """The database's name as the server spells it.

        Raises:
            ConfigError: there is no such database.
            SourceSetupError: its changes are not captured.

        """
        ...

    def require_seen(self, session: Session, table: TableId) -> None:
        """Raise `SourceSetupError` where a table that has no instance may have one that the user must not see."""
        ...

    def wait_for(self, session: Session, lsn: Lsn) -> None:
        """Wait until the session sees what is captured up to an LSN, where it may be answered by a replica.

        Raises:
            RetriableError: it does not come there.

        """
        ...

    def log(self, database: str, planned: DatabasePosition | None) -> Log[Session]:
        """A database's log, to be read; `planned` is the end of a range that was planned, with what it says of clocks."""
        ...

    def head(self, session: Session) -> Lsn:
        """How far the log is captured: all transactions up to there are in the change tables, to the last row."""
        ...

    def end_now(self, session: Session) -> DatabasePosition:
        """The same as the end of a range that is planned, with what the plan says of clocks."""
        ...

    def count_transactions(self, session: Session, window: Window) -> int:
        """How many transactions with changes, of rows or of structure, lie in a window."""
        ...

    def reaches_back_to(self, session: Session, lsn: Lsn) -> bool:
        """Whether all transactions behind that LSN are still told of."""
        ...

    def nth_transaction(self, session: Session, window: Window, number: int) -> tuple[Lsn, bool]:
        """The LSN of the so-manieth transaction of a window; its end, and True, where it has no more than those."""
        ...

    def newest_commit(self, session: Session, lsn: Lsn) -> dt.datetime | None:
        """When the newest transaction up to an LSN was, on the clock of `Instance.create_date`; None: none is told of."""
        ...

    def has_rows(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which of the instances have rows in a window; of many tables most have none, so this is one query for many."""
        ...

    def row_counts(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """How many rows of a window each instance has."""
        ...

    def row_bytes(self, session: Session, instance: Instance, window: Window) -> int:
        """About how many bytes a row of an instance has, by the first ones of a window."""
        ...
