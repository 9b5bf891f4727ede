"""The work that signals requested: tables to be read again, and the positions of the signal channels.

It is part of a lane's progress, and changes in the same commit as the log position of a signal, or as the
rows of a chunk. So no signal and no chunk is lost or handled twice.

A lane has only tables whose topics it delivers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tailrace.errors import ProgressError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound, Segment
from tailrace.snapshot.stored import Stored

_PATH = "signalled"


@dataclass(frozen=True, slots=True)
class TableWork:
    """A table that an incremental snapshot reads.

    Attributes:
        table: its id.
        condition: for WHERE; None: all rows.
        surrogate: the column that orders the reading; None: its key.
        key: the key that orders the reading, the connector's own JSON; None before it begins.
        after: rows up to there are delivered; None: none yet.
        upto: the greatest key when it began.
        rows: delivered so far.

    """

    table: TableId
    condition: str | None = None
    surrogate: str | None = None
    key: Mapping[str, Any] | None = None
    after: Bound | None = None
    upto: Bound | None = None
    rows: int = 0

    @property
    def segment(self) -> Segment:
        """Its unread rest."""
        return Segment(quoted_id(self.table), self.after, self.upto)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        names = ("condition", "surrogate", "key", "after", "upto", "rows")
        return {"table": quoted_id(self.table), **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_dict(cls, value: Any, path: str) -> TableWork:
        """Parse JSON; errors name `path`."""
        stored = Stored(value, path)
        work = cls(
            parse_id(stored.text("table")),
            stored.text_or_none("condition"),
            stored.text_or_none("surrogate"),
            stored.members_or_none("key"),
            stored.bound("after"),
            stored.bound("upto"),
            stored.number("rows"),
        )
        stored.end()
        return work


@dataclass(frozen=True, slots=True)
class BlockingWork:
    """Tables to be read while the log waits.

    Attributes:
        tables: each with its custom statement; None: the table itself.
        part: its progress, the connector's own JSON; None before it begins.
        structures: the tables of all lanes; the lane that sends structures has them, even without tables of its own.

    """

    tables: Mapping[TableId, str | None]
    part: Mapping[str, Any] | None = None
    structures: tuple[TableId, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        tables = [{"table": quoted_id(table), "statement": statement} for table, statement in self.tables.items()]
        state = {} if self.part is None else {"state": self.part}
        structures = {"structures": [quoted_id(table) for table in self.structures]} if self.structures else {}
        return {"tables": tables, **state, **structures}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], path: str) -> BlockingWork:
        """From its JSON."""
        tables = {parse_id(item["table"]): item.get("statement") for item in value["tables"]}
        structures = tuple(map(parse_id, value.get("structures", ())))
        if not (tables or structures):
            raise ProgressError(f"the progress is damaged: {path} has no tables")
        return cls(tables, value.get("state"), structures)


@dataclass(frozen=True, slots=True)
class Work:
    """A lane's unfinished requested work.

    Attributes:
        tables: of the incremental snapshot, in reading order.
        signal: the id of the newest signal that requested some of them.
        paused: whether the incremental snapshot is paused.
        blocking: a blocking snapshot.
        marks: the channels' positions, in each channel's own form.

    """

    tables: tuple[TableWork, ...] = ()
    signal: str | None = None
    paused: bool = False
    blocking: BlockingWork | None = None
    marks: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ids(self) -> list[TableId]:
        """The incremental snapshot's tables."""
        return [work.table for work in self.tables]

    def with_tables(self, more: Iterable[TableWork], signal: str | None) -> Work:
        """The same with more tables at the end."""
        return replace(self, tables=(*self.tables, *more), signal=signal)

    def without(self, tables: Sequence[TableId]) -> Work:
        """The same without some tables; with none left, it is not paused."""
        left = tuple(work for work in self.tables if work.table not in tables)
        return replace(self, tables=left, paused=self.paused and bool(left))

    def with_first(self, table: TableWork) -> Work:
        """The same with new progress of the table that is being read."""
        return replace(self, tables=(table, *self.tables[1:]))

    def to_dict(self) -> dict[str, Any] | None:
        """As JSON; None if there is nothing to store."""
        told: dict[str, Any] = {}
        if self.tables:
            told |= {"tables": [work.to_dict() for work in self.tables], "signal": self.signal}
        if self.paused:
            told["paused"] = True
        if self.blocking is not None:
            told["blocking"] = self.blocking.to_dict()
        if self.marks:
            told["marks"] = dict(self.marks)
        return told or None

    @classmethod
    def from_dict(cls, value: Mapping[str, Any] | None) -> Work:
        """From its JSON.

        Raises:
            ProgressError: it is damaged.

        """
        if value is None:
            return cls()
        try:
            return cls._read(value)
        except (KeyError, TypeError, AttributeError) as error:
            raise ProgressError(f"the progress is damaged: {_PATH}: {error!r}") from error

    @classmethod
    def _read(cls, value: Mapping[str, Any]) -> Work:
        tables = (TableWork.from_dict(item, f"{_PATH}.tables[{i}]") for i, item in enumerate(value.get("tables", ())))
        blocking = value.get("blocking")
        return cls(
            tuple(tables),
            value.get("signal"),
            bool(value.get("paused", False)),
            None if blocking is None else BlockingWork.from_dict(blocking, f"{_PATH}.blocking"),
            dict(value.get("marks", {})),
        )
