"""Positions in the logs of databases that write their changes into tables.

A *position* names one change: its transaction's commit LSN, the command within it, the change's own LSN and its operation.
As text it has a fixed width and sorts as a change table is read:

    00000025:00000070:0003.0000000001.00000025:00000068:0002.4

(where a database tells no command, that number is 0).

A connector may read several databases, each with a log of its own. The *delivered position* is the commit LSNs up to which
everything is delivered, of all databases one behind the other: it sorts later whenever one of them gets on. The *restart
position* says for each database the same LSN, and where a window of the log is delivered in part, how far that is.

What is stored of them is JSON; `Positions` reads it back, for the form of LSN that a database has.
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
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.encoding.render import Op, Program, Template
from tailrace.errors import ProgressError

COMMAND_DIGITS: Final = 10
BETWEEN_DATABASES: Final = ","


@dataclass(frozen=True, slots=True, order=True)
class RowPosition:
    """A change of a change table.

    Attributes:
        commit: its transaction's commit LSN.
        command: the command within that; 0 where it is not known.
        change: the change's own LSN.
        operation: as rows have it; of an update, which is two rows, the second's: 4.
        serial: which row it is of those with these LSNs, from 1, as Debezium counts them.

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
        lsn: everything that was committed up to there.
        until: the end of the window that is delivered in part; None: none is.
        table: the table of it that comes next, `schema.table`; those before it by name are done. None: the first.
        after: the last change delivered of that table; None: none is.
        initial: a connector begins here and has not told the structures that it begins with.
        taken_over: a place of Debezium's within the transaction behind `lsn`: what lies before it there is delivered, and
            as many rows with its LSNs as it counts.
        offset_minutes: of the end of a range that was planned: how far the server's clock was ahead of UTC then, by which the
            times of its changes are told, whenever it is read; None: as it is when it is read.
        filled: of such an end, the tables that have changes in the range, as `table` names them; None: that is not known.

    """

    lsn: Lsn
    until: Lsn | None = None
    table: str | None = None
    after: RowPosition | None = None
    initial: bool = False
    taken_over: RowPosition | None = None
    offset_minutes: int | None = None
    filled: tuple[str, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON; what has its usual value is left out, but for the LSN."""
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
        if self.offset_minutes is not None:
            found["offset_minutes"] = self.offset_minutes
        if self.filled is not None:
            found["filled"] = list(self.filled)
        return found

    @property
    def is_between_windows(self) -> bool:
        """Whether everything up to `lsn` is delivered, and nothing behind it."""
        return self.until is None and self.taken_over is None

    def at(self, lsn: Lsn) -> DatabasePosition:
        """Everything up to there is delivered."""
        return DatabasePosition(lsn, initial=self.initial, taken_over=_behind(self.taken_over, lsn))


class RestartPosition:
    """Where reading goes on, by database; as JSON an object with the databases' names."""

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
        """The same with another position in one database."""
        return RestartPosition({**self._databases, database: position})

    def told(self) -> RestartPosition:
        """The same where the structures at the beginning have been told."""
        return RestartPosition({name: replace(each, initial=False) for name, each in self._databases.items()})

    @property
    def is_between_windows(self) -> bool:
        """Whether no window of any database is delivered in part."""
        return all(each.is_between_windows for each in self._databases.values())

    @property
    def is_initial(self) -> bool:
        """Whether a connector begins here."""
        return any(each.initial for each in self._databases.values())

    @property
    def delivered(self) -> str:
        """The text of the position up to which everything is delivered."""
        return BETWEEN_DATABASES.join(each.lsn.text for each in self._databases.values())


class Positions:
    """Reads what was stored of positions in a kind of database's logs."""

    def __init__(self, lsns: LsnForm) -> None:
        self._lsns = lsns

    def shown(self, given: Mapping[str, Any]) -> str:
        """A restart position, for people."""
        restart = self.restart(given)
        return ", ".join(f"{name} {restart[name].lsn}" for name in restart)

    def row(self, given: Mapping[str, Any]) -> RowPosition:
        """From what `RowPosition.to_dict` gave."""
        return RowPosition(
            self._lsns.parse(given["commit"]),
            int(given["command"]),
            self._lsns.parse(given["change"]),
            int(given["operation"]),
            int(given["serial"]),
        )

    def database(self, given: Mapping[str, Any]) -> DatabasePosition:
        """From what `DatabasePosition.to_dict` gave.

        Raises:
            ProgressError: it is something else.

        """
        log = f"{self._lsns.database}'s log"
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
                offset_minutes=None if given.get("offset_minutes") is None else int(given["offset_minutes"]),
                filled=None if given.get("filled") is None else tuple(map(str, given["filled"])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ProgressError(f"not a position in {log}: {given!r}: {error!r}") from error

    def restart(self, given: Mapping[str, Any], names: Sequence[str] = ()) -> RestartPosition:
        """From what `RestartPosition.to_dict` gave.

        `names` are the databases of the configuration, which may be spelled otherwise there.

        Raises:
            ProgressError: it is something else, or of other databases.

        """
        if not given or not all(isinstance(each, Mapping) and "lsn" in each for each in given.values()):
            raise ProgressError(f"not a restart position of {self._lsns.database}: {dict(given)!r}")
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
    """A place of Debezium's counts until its transaction is through."""
    return place if place is not None and place.commit > lsn else None


def position_program(commit: Level = Level.TRANSACTION, change: Level = Level.CHANGE) -> Program:
    """The template of a position's text; its slots are the texts and numbers of `RowPosition`'s first four fields.

    `commit` and `change` say what they are known of: the commit LSN, and the rest.
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
    """A position that holds for a whole batch, as changes have it."""
    commit, change = (vector_of([each.text.encode()]) for each in (position.commit, position.change))
    command, operation = (integers(np.array([each])) for each in (position.command, position.operation))
    return tuple(Fact(each, Level.BATCH) for each in (commit, command, change, operation))  # type: ignore[return-value]


def beginning_of(lsn: Lsn) -> RowPosition:
    """The position of what is told at an LSN and is no change: it sorts before the changes of that commit."""
    return RowPosition(lsn, 0, Lsn(bytes(len(lsn.raw))), 0)


def restart_at(lsns: Mapping[str, Lsn], *, initial: bool = False) -> RestartPosition:
    """Everything up to these LSNs is delivered, by database in the configuration's order."""
    return RestartPosition({name: DatabasePosition(lsn, initial=initial) for name, lsn in lsns.items()})
