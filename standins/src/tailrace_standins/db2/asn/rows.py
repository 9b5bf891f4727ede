"""What a record of the log becomes in a change table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailrace_standins.db2.engine import convert, types
from tailrace_standins.db2.engine.catalog import Table
from tailrace_standins.db2.engine.log import Record
from tailrace_standins.storage.log import Image, Operation
from tailrace_standins.storage.sessions import Stored


@dataclass(frozen=True, slots=True)
class Registration:
    """A row of IBMSNAP_REGISTER that is active.

    Attributes:
        source: schema and name of the table.
        target: of its change table.
        since: the position in the log from which on it is captured.
        splits: updates become a delete and an insert (CHG_UPD_TO_DEL_INS).
        changed_only: updates that change no captured column are left out (CHGONLY).
        prefix: of columns with before-images; empty for none.
        stops: an error with it stops the program (STOP_ON_ERROR).

    """

    source: tuple[str, str]
    target: tuple[str, str]
    since: int
    splits: bool
    changed_only: bool
    prefix: str
    stops: bool

    @property
    def quoted_target(self) -> str:
        """The change table's name in SQL."""
        return f'"{self.target[0]}"."{self.target[1]}"'


def lsn(position: int, part: int = 0) -> bytes:
    """A log sequence number of 16 bytes: neighbours have their first eight in common, as Db2 11.5 shows them."""
    number = position << 2 | part
    return (number >> 16).to_bytes(8, "big") + (number & 0xFFFF).to_bytes(8, "big")


def change_rows(record: Record, registration: Registration, target: Table, commit: bytes) -> Iterator[list[Stored]]:
    """The change table's rows of a record; the values of large objects and XML are never in them."""
    if record.operation is Operation.UPDATE:
        if registration.changed_only and _row(record, record.before, target) == _row(record, record.after, target):
            return
        if registration.splits:
            yield [commit, lsn(record.position), "D", *_row(record, record.before, target)]
            yield [commit, lsn(record.position, 1), "I", *_row(record, record.after, target)]
        else:
            yield [
                commit,
                lsn(record.position),
                "U",
                *_row(record, record.after, target, registration.prefix, record.before),
            ]
    elif record.operation is Operation.INSERT:
        yield [commit, lsn(record.position), "I", *_row(record, record.after, target, registration.prefix)]
    elif record.operation is Operation.DELETE:
        yield [commit, lsn(record.position), "D", *_row(record, record.before, target, registration.prefix)]


def _row(
    record: Record, image: Image | None, target: Table, prefix: str = "", before: Image | None = None
) -> list[Stored]:
    assert image is not None  # noqa: S101  # the record's operation has it
    given = {column.name: (column, value) for column, value in zip(record.table.columns, image, strict=True)}
    old = {
        prefix + column.name: (column, value) for column, value in zip(record.table.columns, before or (), strict=False)
    }
    row: list[Stored] = []
    for column in target.columns[3:]:
        source, value = given.get(column.name) or (old.get(column.name) if prefix else None) or (None, None)
        if source is None or source.type.name in types.LARGE:
            row.append(None)
        else:
            row.append(convert.converted(value, source.type, column.type))
    return row
