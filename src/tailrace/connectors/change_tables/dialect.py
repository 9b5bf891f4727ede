"""The dialect of a database with change tables: everything that differs from one such database to the next.

Some databases have a process that reads their log and writes committed changes into tables, one for each captured
table: a *change table*. A change table, with its columns and the position from which it has changes, is a *capture
instance*. Reading such a database is the same everywhere: determine how far the log is captured, take the transactions
up to there as a window, read each change table in the window in order, detect what the clean-up has removed, and switch
from an older instance of a table to a newer one. All of that is this package. What differs is on this page:

- **Positions** (`Events.lsns`): the width of a log sequence number (LSN). It is opaque; only its order counts, which is
  that of its bytes. A transaction has one (the commit LSN), and each of its changes has its own.
- **Catalogue**: the capture instances, and the structure of their rows.
- **Transactions**: how far the log is captured (the max LSN), and the transactions in a window.
- **Rows**: which change tables have rows in a window, how many, how large. The rows themselves come from a
  `rows.RowQuery`.
- **Clean-up**: an instance whose start LSN has moved has lost what was before it (`lost_changes.py`). A database whose
  instances do not tell that has `Log.is_kept`. `Advice` says what to do about it.
- **Events**: the position's fields in the source block.

If a snapshot needs to know that everything that it has seen is captured, the database proves it by
`snapshots.capture.Capture`.

A dialect holds the settings but no connection. Its methods take a session, whose class is a type parameter.
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
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Table, TableId

Session = TypeVar("Session")
"""A connection to one database, for one thread at a time."""
Session_contra = TypeVar("Session_contra", contravariant=True)
"""The same, for protocols that only take sessions."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The database's own words and statements against a problem, as parts of messages.

    Attributes:
        capture: the process that writes changes into the tables.
        clean_up: the process that removes them.
        keep_longer: extends the retention of changes.
        add_columns: makes capture include columns that a table got later, and what tailrace does then.
        first_instance: creates the first capture instance of a given table.
        all_columns: captures all three columns of a signal table.
        own_structures: says where structures come from, so that no signal has to bring them.
        accept_gap: makes the connector go on with a table that was captured anew; "": nothing does.

    """

    capture: str
    clean_up: str
    keep_longer: str
    add_columns: str
    first_instance: Callable[[TableId], str]
    all_columns: str
    own_structures: str
    accept_gap: str = ""


class Events(Protocol):
    """The parts of a database's events other than the rows."""

    @property
    def settings(self) -> Settings:
        """The connector's settings."""
        ...

    @property
    def lsns(self) -> LsnForm:
        """The form of its log sequence numbers."""
        ...

    @property
    def connector(self) -> str:
        """The name of Debezium's connector, in the names of schemas."""
        ...

    @property
    def omits_database(self) -> bool:
        """Whether records name tables without their database, as a connector reads only one."""
        ...

    @property
    def skips_records(self) -> bool:
        """Whether `skipped.operations` are those of records, of which an update of the key becomes two, and not of changes."""
        ...

    def folded(self, table: TableId) -> TableId:
        """A table id whose names can be compared: in lower case, say, if the server ignores case."""
        ...

    def source_schema(self) -> Schema:
        """The schema of the source block of rows."""
        ...

    def change_schema(self) -> Schema:
        """The schema of the source block of schema-change events."""
        ...

    @property
    def uses_processing_time(self) -> bool:
        """Whether the source block's times are those of reading, instead of those of the transaction."""
        ...

    def context(self) -> Mapping[str, str]:
        """The context headers of every record; empty if they are not requested."""
        ...

    def constants(self, table: TableId) -> Mapping[str, str | None]:
        """The fields of the source block that are constant for a table."""
        ...

    def source_at(self, lsn: Lsn) -> Mapping[str, Any]:
        """The position's fields in the source block of an event at an LSN that is not a row change."""
        ...

    def history_position(self, lsn: Lsn) -> Mapping[str, Any]:
        """An LSN as a position in Debezium's schema history."""
        ...


class Catalogue(Events, Protocol[Session_contra]):
    """The database's catalogue of capture instances; `session` is a connection to it."""

    def database(self, session: Session_contra) -> str:
        """The name of the session's database, as the server spells it."""
        ...

    def instances(self, session: Session_contra) -> Sequence[Instance]:
        """The instances by table, those of a table in reading order, without the ones in `hidden`."""
        ...

    def hidden(self, session: Session_contra) -> Sequence[tuple[str, int]]:
        """The instances whose source table the user may not see: the name, and the object id of the change table."""
        ...

    def stamp(self, session: Session_contra) -> object:
        """A value that changes when an instance is created, dropped or gets another start LSN, or its table is altered.

        It must be cheap to query: it is compared at each poll, so that the catalogue is read only after a change.
        """
        ...

    def altered(self, session: Session_contra) -> Collection[int]:
        """The object ids of the change tables whose source table was altered since the instance was created."""
        ...

    def structures(self, session: Session_contra, wanted: Callable[[TableId], bool]) -> Mapping[TableId, Table]:
        """The current structures of the wanted source tables, by name."""
        ...

    def column_types(self, session: Session_contra) -> Mapping[int, Types]:
        """By object id of a change table, those of its columns whose type differs from the source table's."""
        ...

    def name_in_database(self, table: TableId) -> str:
        """The table's name in the progress; the tables of a window are delivered in the order of these names."""
        ...

    @property
    def advice(self) -> Advice:
        """The advice in messages about lost or uncaptured changes."""
        ...


class Log(Protocol[Session]):
    """One database's log while it is read, with the state of reading: its clock, say."""

    @property
    def most_transactions(self) -> int | None:
        """The greatest number of transactions in a window, if the configuration sets it."""
        ...

    def connect(self) -> AbstractContextManager[Session]:
        """A session in the database, which existed when reading began.

        Raises:
            RetriableError: the database is not available now. For other errors see the connector's sessions.

        """
        ...

    def head(self, session: Session) -> Lsn:
        """The LSN up to which the log is captured: all rows of all transactions up to it are in the change tables."""
        ...

    def transactions(self, session: Session, window: Window, at_most: int) -> Transactions:
        """The first transactions of a window that have changes, of rows or of structure; at most `at_most`."""
        ...

    @property
    def as_of_us(self) -> int | None:
        """A time before which nothing behind the last `head` was committed, microseconds since the epoch.

        None: it is unknown, or not needed because instances tell what was cleaned up.
        """
        ...

    def is_kept(self, session: Session, after: Lsn, as_of_us: int | None) -> bool:
        """Whether the clean-up can't have removed anything behind an LSN, as far as instances do not tell it.

        `as_of_us`: that of the position at the LSN.
        """
        ...

    def begun_anew(self, session: Session, window: Window) -> Sequence[TableId]:
        """The tables that capture has begun with within a window, as far as instances do not tell it."""
        ...

    def look_why_quiet(self, session: Session, head: Lsn) -> None:
        """Note that nothing new is captured; if that lasts because the capture process is stopped, warn."""
        ...


class Dialect(Catalogue[Session], Protocol[Session]):
    """Everything specific to one kind of database."""

    @property
    def databases(self) -> Sequence[str]:
        """The configured databases, each of which has its own log."""
        ...

    def connect(self, database: str) -> AbstractContextManager[Session]:
        """A session in a database. For errors see the connector's sessions."""
        ...

    def require_captured(self, session: Session, database: str) -> str:
        """The database's name, as the server spells it.

        Raises:
            ConfigError: there is no such database.
            SourceSetupError: change data capture is not enabled for it.

        """
        ...

    def begun_by(self, session: Session, instance: Instance) -> Lsn | None:
        """The LSN at which an instance has begun at the latest, such as its start LSN; None: it has not begun."""
        ...

    def require_visible(self, session: Session, table: TableId) -> None:
        """Raise `SourceSetupError` if a table without an instance may have one that the user is not allowed to see."""
        ...

    def wait_for(self, session: Session, lsn: Lsn) -> None:
        """Wait until the session sees what is captured up to an LSN; a replica may lag.

        Raises:
            RetriableError: it does not see that in time.

        """
        ...

    def log(self, database: str, planned: DatabasePosition | None) -> Log[Session]:
        """A database's log for reading; `planned` is the end of a planned range, with the clock offset of its plan."""
        ...

    def head(self, session: Session) -> Lsn:
        """The LSN up to which the log is captured: all rows of all transactions up to it are in the change tables."""
        ...

    def end_now(self, session: Session) -> DatabasePosition:
        """The same as the end of a planned range, with the server's current clock offset."""
        ...

    def count_transactions(self, session: Session, window: Window) -> int:
        """The number of transactions in a window that have changes, of rows or of structure."""
        ...

    def reaches_back_to(self, session: Session, lsn: Lsn) -> bool:
        """Whether all transactions after an LSN are still listed."""
        ...

    def nth_transaction(self, session: Session, window: Window, number: int) -> tuple[Lsn, bool]:
        """The commit LSN of the transaction with this number in a window; if it has no more, its end, and True."""
        ...

    def newest_commit(self, session: Session, lsn: Lsn) -> dt.datetime | None:
        """The time of the newest transaction up to an LSN, by the clock of `Instance.create_date`; None: there is none."""
        ...

    def landmark(self, session: Session, lsn: Lsn) -> Landmark | None:
        """The newest transaction up to an LSN that `Log.transactions` lists, and the list; None: there is nothing to tell."""
        ...

    def may_be_cleaned_up(self, session: Session, landmark: Landmark) -> bool:
        """Whether the clean-up may have taken a transaction off the list meanwhile."""
        ...

    def has_rows(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which of the instances have rows in a window; one query for all, as most of many tables have none."""
        ...

    def row_counts(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """The number of rows that each instance has in a window."""
        ...

    def row_bytes(self, session: Session, instance: Instance, window: Window) -> int:
        """The approximate size of an instance's row in bytes, from the first rows of a window."""
        ...
