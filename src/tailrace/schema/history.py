"""The schema history: DDL statements and table structures in log order, in Debezium's record format.

A record has `source`, `position`, `ts_ms`, `databaseName`, `ddl` and `tableChanges`. The structures at a position are rebuilt
from the records up to it: from their table changes, or from the DDL if there are none. Debezium's files can be read here, and
Debezium can read ours.

Source: Debezium documentation, "Schema history", and files that Debezium 3.6.1 wrote.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import orjson

from tailrace.durable_files import LOCK_SECONDS, lock, sync_folder
from tailrace.errors import RetriableError, StructureError
from tailrace.schema.changes_topic import SchemaEvent, announced_changes, quoted_id, quoted_labels
from tailrace.schema.literals import unescaped_literal
from tailrace.schema.table_changes import TableChange
from tailrace.schema.tables import Column, Table, TableId

HistoryRecord = Mapping[str, Any]
Kept = TypeVar("Kept", bound=HistoryRecord)
Version = tuple[int, ...]  # of a file: it differs when somebody has written to it, or put another in its place
NO_STATEMENT = (None, "", "N/A")  # values of `ddl` in records that no statement caused
GTID = "gtid"  # in a position: the GTID of the statement itself; `gtids` is the set before it
CHARSET = "character_set_server"  # in a position: the statement's session's, where it is not the server's
UNKNOWN = "tailrace.unknown"  # in a DROP: the table exists, but its structure is not known

_ID_PART = re.compile(r'"((?:[^"]|"")*)"')
_GTIDS: Final = "gtids"  # in a position: those of the transactions that had ended
_NO_LOCKS: Final = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # of some network file systems


def history_record(
    source: Mapping[str, Any],
    position: Mapping[str, Any],
    ts_ms: int,
    event: SchemaEvent,
    *,
    comments: bool = False,
) -> dict[str, Any]:
    """The record of one event; `position` is the offset just before the statement."""
    return {
        "source": dict(source),
        "position": dict(position),
        "ts_ms": ts_ms,
        "databaseName": event.database,
        "ddl": event.ddl,
        "tableChanges": [_change(change, comments=comments) for change in announced_changes(event)],
    }


def table_of(table_id: TableId, document: Mapping[str, Any], comment: str | None = None) -> Table:
    """The table that a record's `table` document describes."""
    return Table(
        id=table_id,
        columns=tuple(_column_of(c) for c in sorted(document["columns"], key=_position_of)),
        primary_key=tuple(document.get("primaryKeyColumnNames") or ()),
        default_charset=document.get("defaultCharsetName"),
        comment=document.get("comment") or comment,
        attributes=tuple((a["name"], a["value"]) for a in document.get("attributes") or ()),
    )


def parse_id(text: str) -> TableId:
    """Parse a table's id in a record; older records have it without quotes.

    Raises:
        StructureError: it has no name, or too many parts.

    """
    parts = [part.replace('""', '"') for part in _ID_PART.findall(text)] or text.split(".")
    if len(parts) == 1:
        return TableId("", "", parts[0])
    if len(parts) == 2:
        return TableId(parts[0], "", parts[1])
    if len(parts) == 3:
        return TableId(parts[0], parts[1], parts[2])
    raise StructureError(f"{text} is not the id of a table")


class HistoryFile:
    """A schema history in a file of JSON lines; one writer at a time, under a lock.

    Appended records are synced to disk when `append` returns. A last line that a crash cut off is ignored, and removed by the
    next append. Records that are in the file already are not written again: after a restart the log is read from the
    restart position, which is before some of them. What others have appended is read before anything is written: a task may
    have stood still while another took its place.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._seen: set[bytes] = set()
        self._end = 0
        self._loaded: Version | None = None

    def __str__(self) -> str:
        return f"the schema history {self._path}"

    def load(self) -> list[dict[str, Any]]:
        """All records, in order, the first of equal ones; none if the file is missing.

        Raises:
            StructureError: a line that is not the last one can't be read.

        """
        version = self._version()  # before its text: what is written meanwhile will be read
        text = self._path.read_bytes() if version else b""
        lines = text.split(b"\n")
        cut_off = lines.pop()
        records = [_parsed(line, self._path, number) for number, line in enumerate(lines, 1) if line.strip()]
        self._end = len(text) - len(cut_off)
        if whole := parsed_record(cut_off):  # Debezium's file may end without a line's end
            records.append(whole)
            self._end = len(text)
        found = new_records(records, ())
        self._seen = set(found)
        # a line that was cut off may be replaced by one of its length
        self._loaded = version if self._end == len(text) else None
        return list(found.values())

    def append(self, records: Iterable[HistoryRecord]) -> int:
        """Append the records that the file lacks, durably. Returns how many.

        Raises:
            RetriableError: another process stands still while it has the lock.

        """
        given = list(records)
        if not self._lacking(given):
            return 0
        with self._locked() as file:
            fresh = self._lacking(given)
            if fresh:
                self._write(file, b"".join(orjson.dumps(record) + b"\n" for record in fresh.values()))
                self._seen.update(fresh)
        return len(fresh)

    def _lacking(self, records: Iterable[HistoryRecord]) -> dict[bytes, HistoryRecord]:
        """The records that the file lacks; if it is another than was read, it is read again."""
        if self._version() != self._loaded:
            self.load()
        return new_records(records, self._seen)

    def _version(self) -> Version:
        """The file's version; empty if there is none."""
        return _version_of(self._path.stat()) if self._path.exists() else ()

    def _write(self, file: IO[bytes], lines: bytes) -> None:
        new = not self._end
        file.truncate(self._end)  # a line that was cut off; appending to it would corrupt the new record as well
        if self._end and not _ends_with_newline(self._path, self._end):
            file.write(b"\n")
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())
        if new:  # a new file survives a power failure only if its directory entry is synced too
            sync_folder(self._path.parent)
        written = os.fstat(file.fileno())
        self._end, self._loaded = written.st_size, _version_of(written)

    @contextmanager
    def _locked(self) -> Iterator[IO[bytes]]:
        """The file, opened for appending, and locked until the block ends: if its last line is cut off, the writer is dead."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            self._lock(file.fileno())
            yield file

    def _lock(self, descriptor: int) -> None:
        try:
            is_locked = lock(descriptor, LOCK_SECONDS)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return  # without a lock, what others wrote up to now is still read first
        if not is_locked:
            raise RetriableError(f"{self} has been locked by another process for {LOCK_SECONDS:g} s")


def _change(change: TableChange, *, comments: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"type": change.type.value, "id": quoted_id(change.told_id) if change.told_id else ""}
    if change.previous_id:
        found["previousId"] = quoted_id(change.previous_id)
    if change.table is not None:
        found["table"] = _table(change.table, comments=comments)
        found["comment"] = change.table.comment if comments else None
    if change.is_unknown:
        found[UNKNOWN] = True
    return found


def _table(table: Table, *, comments: bool) -> dict[str, Any]:
    return {
        "defaultCharsetName": table.default_charset,
        "primaryKeyColumnNames": list(table.primary_key),
        "columns": [_column(c, at, comments=comments) for at, c in enumerate(table.columns, 1)],
        "attributes": [{"name": name, "value": value} for name, value in table.attributes],
    }


def _column(column: Column, position: int, *, comments: bool) -> dict[str, Any]:
    size = {"length": column.length, "scale": column.scale}
    default = {} if column.default is None else {"defaultValueExpression": column.default}
    return {
        "name": column.name,
        "jdbcType": column.jdbc_type,
        "typeName": column.type_name,
        "typeExpression": column.type_expression,
        "charsetName": column.charset,
        **{name: value for name, value in size.items() if value is not None},
        "position": position,
        "optional": column.optional,
        "autoIncremented": column.auto_incremented,
        "generated": column.generated,
        "comment": column.comment if comments else None,
        "hasDefaultValue": column.has_default,
        **default,
        "enumValues": quoted_labels(column),
    }


def _column_of(document: Mapping[str, Any]) -> Column:
    default = document.get("defaultValueExpression")
    return Column(
        name=document["name"],
        type_name=document["typeName"],
        type_expression=document.get("typeExpression") or document["typeName"],
        jdbc_type=document["jdbcType"],
        length=document.get("length"),
        scale=document.get("scale"),
        charset=document.get("charsetName"),
        optional=document["optional"],
        auto_incremented=document["autoIncremented"],
        generated=document["generated"],
        has_default=bool(document.get("hasDefaultValue")) or default is not None,
        default=default,
        enum_values=tuple(_label_of(text) for text in document.get("enumValues") or ()),
        comment=document.get("comment"),
    )


def _label_of(text: str) -> str:
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "'\""
    return unescaped_literal(text[1:-1]) if quoted else text


def _position_of(document: Mapping[str, Any]) -> int:
    return int(document["position"])


def _parsed(line: bytes, path: Path, number: int) -> dict[str, Any]:
    record = parsed_record(line)
    if record is None:
        raise StructureError(f"line {number} of the schema history {path} is not a record: {line[:80]!r}")
    return record


def parsed_record(line: bytes) -> dict[str, Any] | None:
    """The record in a line of JSON; None if it is not one."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    is_record = isinstance(record, dict) and all(isinstance(record.get(name), dict) for name in ("source", "position"))
    return record if is_record else None


def identity(record: HistoryRecord) -> bytes:
    """A key that is equal for two copies of one record.

    A statement has one record for each table that it names, whose `ddl` is reduced to that table. If it has a GTID, that
    identifies it, since its file and position differ on another server. Without a statement many tables have records at one
    position (SQL Server), so the structures are part of the key. The GTID set is not: what had ended when a table map told a
    structure (MySQL) depends on the blocks in which the log came.
    """
    position = record.get("position") or {}
    if GTID in position:
        return _identity(record, {GTID: position[GTID]})
    return _identity(record, _without(_GTIDS, position) if record.get("ddl") in NO_STATEMENT else position)


def _identity(record: HistoryRecord, position: Mapping[str, Any]) -> bytes:
    parts = [record.get("source"), position, record.get("databaseName"), record.get("ddl")]
    if record.get("ddl") in NO_STATEMENT:
        parts.append(record.get("tableChanges"))
    return orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)


def _identities(record: HistoryRecord) -> tuple[bytes, ...]:
    """The key of a record, and that of a copy that was written before records had a `gtid`."""
    position = record.get("position") or {}
    if GTID not in position:
        return (identity(record),)
    return identity(record), identity({**record, "position": _without(GTID, position)})


def _without(name: str, position: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in position.items() if key != name}


def new_records(records: Iterable[Kept], seen: Container[bytes]) -> dict[bytes, Kept]:
    """The records whose identity is not in `seen`, by identity: in order, of equal ones the first.

    A writer that stood still while another took its place writes records once more. Each writes in the order of the log, and
    before a record all earlier ones that it has not found there: so the first copies are in the order of the log.
    """
    fresh: dict[bytes, Kept] = {}
    for record in records:
        names = _identities(record)
        # a history that was begun by an earlier version has the same records without `gtid`
        if not any(name in seen or name in fresh for name in names):
            fresh[names[0]] = record
    return fresh


def _version_of(found: os.stat_result) -> Version:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _ends_with_newline(path: Path, end: int) -> bool:
    with path.open("rb") as file:
        file.seek(end - 1)
        return file.read(1) == b"\n"
