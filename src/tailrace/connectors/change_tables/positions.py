"""Positions in the logs of databases with change tables.

A *position* identifies one change: its transaction's commit LSN, the command within it, the change's own LSN and its
operation. Its text has a fixed width and sorts in the order in which a change table is read:

    00000025:00000070:0003.0000000001.00000025:00000068:0002.4

(If a database has no command number, it is 0.)

A connector may read several databases, each with its own log. The *delivered position* is the list of the commit LSNs
up to which everything is delivered: it sorts later whenever one of the databases progresses. The *restart position* has
the same LSN for each database and, if a window of the log is delivered in part, how far that is.

They are stored as JSON; `Positions` parses it, for the form of LSN that a database has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from tailrace.changes import expand as roles
from tailrace.changes.model import Fact, Level
from tailrace.changes.vectors import integers
from tailrace.changes.views import vector_of
from tailrace.connectors.change_tables import landmarks
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.told_transactions import Told
from tailrace.encoding.render import Op, Program, Template
from tailrace.errors import ProgressError

COMMAND_DIGITS: Final = 10
BETWEEN_DATABASES: Final = ","


@dataclass(frozen=True, slots=True, order=True)
class RowPosition:
    """The position of a change in a change table.

    Attributes:
        commit: its transaction's commit LSN.
        command: the command within the transaction; 0 if it is unknown.
        change: the change's own LSN.
        operation: as in the change table; of an update, which is two rows, that of the second one: 4.
        serial: the row's number among those with the same LSNs, from 1, as Debezium counts them.

    """

    commit: Lsn
    command: int
    change: Lsn
    operation: int
    serial: int = 1

    def __str__(self) -> str:
        return f"{self.commit}.{self.command:0{COMMAND_DIGITS}d}.{self.change}.{self.operation}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "commit": self.commit.text,
            "command": self.command,
            "change": self.change.text,
            "operation": self.operation,
            "serial": self.serial,
        }


@dataclass(frozen=True, slots=True)
class DatabasePosition:
    """How far one database is delivered.

    Attributes:
        lsn: everything that was committed up to it is delivered.
        until: the end of a window that is delivered in part; None: none is.
        table: the window's next table, `schema.table`; those before it by name are delivered. None: the first.
        after: the last delivered change of that table; None: none is.
        initial: a connector begins here, and has not delivered the initial structures.
        taken_over: a position of Debezium's within the transaction after `lsn`: what lies before it is delivered, and
            as many rows with its LSNs as its serial says.
        told: what Debezium has told of the transaction of `taken_over`. None: unknown, so all its records are counted, and it
            gets its BEGIN.
        offset_minutes: at the end of a planned range: how far the server's clock was ahead of UTC when it was planned.
            The times of its changes are converted by that, whenever it is read. None: by the offset at the time of
            reading.
        filled: at such an end: the tables that have changes in the range, named like `table`; None: unknown.
        as_of_us: a time before which nothing behind `lsn` was committed, microseconds since the epoch: where instances do
            not tell what was cleaned up, that shows what can't have been. None: unknown.
        landmark: the newest transaction up to `reached` that the server listed, and its list, by which a restored database
            is noticed, and another one. None: unknown.

    """

    lsn: Lsn
    until: Lsn | None = None
    table: str | None = None
    after: RowPosition | None = None
    initial: bool = False
    taken_over: RowPosition | None = None
    told: Told | None = None
    offset_minutes: int | None = None
    filled: tuple[str, ...] | None = None
    as_of_us: int | None = None
    landmark: Landmark | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without members that have their default, except the LSN."""
        found: dict[str, Any] = {"lsn": self.lsn.text}
        if self.until is not None:
            found["until"] = self.until.text
        if self.table is not None:
            found["table"] = self.table
        if self.after is not None:
            found["after"] = self.after.to_dict()
        if self.initial:
            found["initial"] = True
        if self.taken_over is not None:
            found["taken_over"] = self.taken_over.to_dict()
        if self.told is not None:
            found["told"] = self.told.to_dict()
        if self.offset_minutes is not None:
            found["offset_minutes"] = self.offset_minutes
        if self.filled is not None:
            found["filled"] = list(self.filled)
        if self.as_of_us is not None:
            found["as_of_us"] = self.as_of_us
        if self.landmark is not None:
            found["landmark"] = self.landmark.to_dict()
        return found

    @property
    def reached(self) -> Lsn:
        """The end of what was read: of the window that is delivered in part, else of what is delivered."""
        return self.lsn if self.until is None else self.until

    def within(self, until: Lsn, landmark: Landmark | None) -> DatabasePosition:
        """The position at the beginning of a window; `landmark`: the newest transaction in it; None: there is none."""
        return replace(self, until=until, landmark=self._passed_by(landmark))

    def _passed_by(self, landmark: Landmark | None) -> Landmark | None:
        return landmark if self.landmark is None else self.landmark.passed_by(landmark)

    @property
    def is_between_windows(self) -> bool:
        """Whether everything up to `lsn` is delivered, and nothing after it."""
        return self.until is None and self.taken_over is None

    def at(self, lsn: Lsn, as_of_us: int | None = None, landmark: Landmark | None = None) -> DatabasePosition:
        """The position when everything up to an LSN is delivered.

        `as_of_us`: as that of this class, if it is known. `landmark`: the newest transaction since this position; None: there
        is none.
        """
        place = _behind(self.taken_over, lsn)
        return DatabasePosition(
            lsn,
            initial=self.initial,
            taken_over=place,
            told=None if place is None else self.told,
            as_of_us=self.as_of_us if as_of_us is None else as_of_us,
            landmark=self._passed_by(landmark),
        )


class RestartPosition:
    """Where reading resumes, by database; as JSON an object with the databases' names."""

    def __init__(self, databases: Mapping[str, DatabasePosition]) -> None:
        self._databases = dict(databases)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {name: position.to_dict() for name, position in self._databases.items()}

    def __getitem__(self, database: str) -> DatabasePosition:
        return self._databases[database]

    def __iter__(self) -> Any:
        return iter(self._databases)

    def with_(self, database: str, position: DatabasePosition) -> RestartPosition:
        """A copy with another position in one database."""
        return RestartPosition({**self._databases, database: position})

    def announced(self) -> RestartPosition:
        """A copy that says that the initial structures are delivered."""
        return RestartPosition({name: replace(each, initial=False) for name, each in self._databases.items()})

    @property
    def is_between_windows(self) -> bool:
        """Whether no database has a window that is delivered in part."""
        return all(each.is_between_windows for each in self._databases.values())

    @property
    def is_initial(self) -> bool:
        """Whether a connector begins here, and has not delivered the initial structures."""
        return any(each.initial for each in self._databases.values())

    @property
    def lsns(self) -> dict[str, Lsn]:
        """The LSN up to which each database is delivered."""
        return {name: each.lsn for name, each in self._databases.items()}

    @property
    def delivered(self) -> str:
        """The text of the position up to which everything is delivered."""
        return BETWEEN_DATABASES.join(each.lsn.text for each in self._databases.values())


class Positions:
    """Parses stored positions in the logs of one kind of database."""

    def __init__(self, lsns: LsnForm) -> None:
        self._lsns = lsns

    def restart_text(self, given: Mapping[str, Any]) -> str:
        """A restart position, for people."""
        restart = self.restart(given)
        return ", ".join(f"{name} {restart[name].lsn}" for name in restart)

    def row(self, given: Mapping[str, Any]) -> RowPosition:
        """Parse a change's position from JSON."""
        return RowPosition(
            self._lsns.parse(given["commit"]),
            int(given["command"]),
            self._lsns.parse(given["change"]),
            int(given["operation"]),
            int(given["serial"]),
        )

    def database(self, given: Mapping[str, Any]) -> DatabasePosition:
        """Parse a database's position from JSON.

        Raises:
            ProgressError: it is something else.

        """
        log = f"{self._lsns.database}'s log"
        # A field of a later version may change the meaning of the others, so it is refused, not ignored.
        unknown = set(given) - set(DatabasePosition.__dataclass_fields__)
        if unknown:
            raise ProgressError(f"a position in {log} has fields that are not known here: {sorted(unknown)}")
        try:
            return DatabasePosition(
                lsn=self._lsns.parse(given["lsn"]),
                until=self._lsns.parse(given["until"]) if given.get("until") else None,
                table=given.get("table"),
                after=self.row(given["after"]) if given.get("after") else None,
                initial=bool(given.get("initial")),
                taken_over=self.row(given["taken_over"]) if given.get("taken_over") else None,
                told=Told.from_dict(given["told"]) if given.get("told") else None,
                offset_minutes=None if given.get("offset_minutes") is None else int(given["offset_minutes"]),
                filled=None if given.get("filled") is None else tuple(map(str, given["filled"])),
                as_of_us=None if given.get("as_of_us") is None else int(given["as_of_us"]),
                landmark=landmarks.parse(given["landmark"], self._lsns) if given.get("landmark") else None,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ProgressError(f"not a position in {log}: {given!r}: {error!r}") from error

    def restart(self, given: Mapping[str, Any], names: Sequence[str] = ()) -> RestartPosition:
        """Parse a restart position from JSON.

        `names` are the configured databases, which may be spelled differently in the JSON.

        Raises:
            ProgressError: it is something else, or belongs to other databases.

        """
        if not given or not all(isinstance(each, Mapping) and "lsn" in each for each in given.values()):
            raise ProgressError(f"not a restart position of {self._lsns.database}: {dict(given)!r}")
        # A stored name may differ in case from the configuration.
        spelled = {name.lower(): name for name in names if name not in given}
        found = RestartPosition(
            {spelled.get(name.lower(), name): self.database(each) for name, each in given.items()}
        )
        if missing := [name for name in names if name not in set(found)]:
            raise ProgressError(
                f"the progress knows nothing of the database {missing[0]}: it is new in database.names. Take a connector of "
                f"its own for it (another topic.prefix), or begin anew with all of them; the progress is of {', '.join(given)}"
            )
        return found


def _behind(place: RowPosition | None, lsn: Lsn) -> RowPosition | None:
    """Debezium's position, which is needed until its transaction is delivered."""
    return place if place is not None and place.commit > lsn else None


def position_program(commit: Level = Level.TRANSACTION, change: Level = Level.CHANGE) -> Program:
    """The template of a position's text; its slots are the first four fields of `RowPosition`.

    `commit` and `change` are the levels at which the commit LSN, and the rest, are known.
    """
    template = Template()
    template.value(Op.RAW, 0, commit)
    template.const(b".")
    template.padded(1, change, COMMAND_DIGITS)
    template.const(b".")
    template.value(Op.RAW, 2, change)
    template.const(b".")
    template.padded(3, change, 1)
    return template.program(roles.LASTING)


def position_facts(position: RowPosition) -> tuple[Fact, Fact, Fact, Fact]:
    """A position that is the same for a whole batch, as facts."""
    commit, change = (vector_of([each.text.encode()]) for each in (position.commit, position.change))
    command, operation = (integers(np.array([each])) for each in (position.command, position.operation))
    return tuple(Fact(each, Level.BATCH) for each in (commit, command, change, operation))  # type: ignore[return-value]


def beginning_of(lsn: Lsn) -> RowPosition:
    """The position of an event at an LSN that is not a row change: it sorts before the changes of that commit."""
    return RowPosition(lsn, 0, Lsn(bytes(len(lsn.raw))), 0)


def restart_at(lsns: Mapping[str, Lsn], *, initial: bool = False) -> RestartPosition:
    """The restart position when everything up to these LSNs is delivered, by database in the configuration's order."""
    return RestartPosition({name: DatabasePosition(lsn, initial=initial) for name, lsn in lsns.items()})
