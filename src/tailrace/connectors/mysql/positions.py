"""Positions in MySQL's log.

A *position* names one row change: the era, the number of the log file, the offset of the event in it and the
rank of the row within the event. The events of a compressed transaction share an offset: there the
rank grows by `ROWS_AN_EVENT` for each earlier event. The era counts how often file numbers restarted:
after RESET BINARY LOGS and after a fail-over to another server. As text a position has a fixed width, so that
the text sorts like the log.

The *restart position* is where reading must begin again to understand what follows: the start of a
transaction, with the GTID set executed before it. With GTIDs the set alone decides where the server begins to
send; file and offset then only say where that was on the former server.

Both can be converted to Debezium's offset and back. Debezium's may lie within a transaction, and then says how
many events since its BEGIN, and how many rows of the next one, were delivered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tailrace.connectors.shared.incremental_offsets import refuse_incremental_snapshot
from tailrace.errors import ProgressError

WIDTHS = (4, 10, 15, 18)  # era, file, offset, row: in digits
ROWS_AN_EVENT = 1_000_000_000  # more than fit into one event (binlog_row_event_max_size)
SEPARATOR = "."
TEXT = re.compile(r"\.".join(rf"(\d{{{width}}})" for width in WIDTHS))
FILE_NAME = re.compile(r"(.+)\.(\d+)", re.DOTALL)
FILE_DIGITS = 6
FIRST_OFFSET = 4  # after the magic number of a log file


@dataclass(frozen=True, slots=True, order=True)
class BinlogPosition:
    """One row change of the log, or (row 0) an event."""

    era: int
    file: int
    pos: int
    row: int = 0

    @classmethod
    def parse(cls, text: str) -> BinlogPosition:
        """From its text."""
        matched = TEXT.fullmatch(text)
        if not matched:
            raise ProgressError(
                f"{text!r} is not a position of a MySQL log: it should look like {cls(0, 1, 4)}"
            )
        return cls(*map(int, matched.groups()))

    def __str__(self) -> str:
        pieces = zip((self.era, self.file, self.pos, self.row), WIDTHS, strict=True)
        return SEPARATOR.join(f"{number:0{width}d}" for number, width in pieces)


def file_number(name: str) -> int:
    """The number of a log file: 123 for `mysql-bin.000123`."""
    return _split(name)[1]


def file_base(name: str) -> str:
    """The name of a log file without its number: `mysql-bin` for `mysql-bin.000123`."""
    return _split(name)[0]


def file_name(base: str, number: int) -> str:
    """The name of a log file; above 999999 it has more digits, as in MySQL."""
    return f"{base}.{number:0{FILE_DIGITS}d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPosition:
    """Where reading the log must start again.

    Attributes:
        era: how often file numbers restarted since tailrace began to read this source.
        file: name of the log file; "" for the first one that the server has.
        pos: offset of a transaction's first event, or of the end of the one before.
        gtids: the GTIDs executed before it, as text; None where the server has no GTIDs.
        server_uuid: the server with these files; None if it is not known (an offset of Debezium's).
        file_created: the file's creation time, in seconds since the epoch; None if it is not known. A log that
            was reset has another file with the same name.
        skip_events: how many events of the first transaction, counted from its BEGIN, to skip.
        skip_rows: how many rows of the event after them to skip.
        skip_gtid: the transaction that `skip_rows` applies to instead: its first rows, in whichever events they are.
        open_gtid: the transaction that is open at the delivered position.
        open_rows: how many of its rows of captured tables were delivered, for a server where its offset differs.
        is_prepared: whether the transaction there is a prepared XA one, and later ones are delivered.
        initial: whether a connector begins here, and has not delivered its initial structures.

    """

    era: int = 0
    file: str = ""
    pos: int = FIRST_OFFSET
    gtids: str | None = None
    server_uuid: str | None = None
    file_created: int | None = None
    skip_events: int = 0
    skip_rows: int = 0
    skip_gtid: str | None = None
    open_gtid: str | None = None
    open_rows: int = 0
    is_prepared: bool = False
    initial: bool = False

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RestartPosition:
        """Parse the result of `to_dict`."""
        unknown = set(given) - set(cls.__dataclass_fields__)
        if unknown:
            raise ProgressError(
                f"a restart position has fields that are not known here: {', '.join(sorted(unknown))}"
            )
        try:
            return cls(**{name: _typed(name, value) for name, value in given.items()})
        except (TypeError, ValueError) as error:
            raise ProgressError(f"not a restart position of a MySQL log: {dict(given)!r}: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """As JSON; default values are omitted, except file and offset."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        usual = {name: field.default for name, field in self.__dataclass_fields__.items()}
        return {k: v for k, v in fields.items() if k in {"file", "pos"} or v != usual[k]}

    @property
    def position(self) -> BinlogPosition:
        """The event where reading begins, as a position."""
        return BinlogPosition(self.era, file_number(self.file) if self.file else 0, self.pos)

    def on_server(
        self, server_uuid: str, files: Mapping[str, int], *, file_created: int | None = None, is_other_file: bool = False
    ) -> RestartPosition:
        """The same position on a server with these log files: a new era if they restarted, or may have.

        A position without GTIDs is invalid on another server or in another file; the caller decides whether to refuse
        that, by `server_uuid`.

        Args:
            server_uuid: of the server.
            files: its log files with their sizes, oldest first.
            file_created: the creation time of the file with that name; None if it was not requested.
            is_other_file: whether the file with that name is not the one that was read.

        """
        # With GTIDs a position that does not name its server (Debezium's) may be of another one.
        other = self.server_uuid not in ({server_uuid} if self.gtids is not None else {server_uuid, None})
        began_again = bool(self.file) and self._began_again(files)
        here = replace(self, server_uuid=server_uuid, file_created=file_created or self.file_created)
        return here.in_new_era() if other or began_again or is_other_file else here

    def _began_again(self, files: Mapping[str, int]) -> bool:
        """Whether these files are numbered from a lower number than this one's, or it has lost its end."""
        if self.file in files:
            return files[self.file] < self.pos
        newest = max(map(file_number, files), default=0)
        is_renamed = any(file_base(name) != file_base(self.file) for name in list(files)[-1:])
        return is_renamed or newest < file_number(self.file)

    def is_in_file(self, created: int) -> bool:
        """Whether this may be in a file with this creation time; unknown counts as the same."""
        return self.file_created in {None, created}

    def in_new_era(self) -> RestartPosition:
        """In a new era: positions no longer identify the rows of the open transaction, but their count does."""
        moved = replace(self, era=self.era + 1, open_gtid=None, open_rows=0)
        if self.open_gtid is None or self.skip_gtid not in {None, self.open_gtid}:
            return moved
        return replace(moved, skip_gtid=self.open_gtid, skip_events=0, skip_rows=self.open_rows)

    def is_before(self, place: RestartPosition | None) -> bool:
        """Whether this lies before another position; one on another server, or none, counts as reached."""
        return place is not None and self.server_uuid == place.server_uuid and self.position < place.position

    def not_before(self, others: Iterable[BinlogPosition]) -> RestartPosition:
        """The same position, in an era in which it does not sort before any of these."""
        last = max(others, default=self.position)
        is_behind = replace(self.position, era=last.era) >= last
        return replace(self, era=last.era if is_behind else last.era + 1)

    def to_debezium(self, server_id: int | None = None, ts_sec: int | None = None) -> dict[str, Any]:
        """As the value of Debezium's offset record."""
        optional = {
            "event": self.skip_events or None,
            "row": self.skip_rows or None,
            "gtids": self.gtids,
            "server_id": server_id,
            "ts_sec": ts_sec,
        }
        present = {name: value for name, value in optional.items() if value is not None}
        return {"transaction_id": None, "file": self.file, "pos": self.pos, **present}

    @classmethod
    def from_debezium(cls, offset: Mapping[str, Any]) -> RestartPosition:
        """Parse the value of Debezium's offset record; one that was written within a snapshot is refused."""
        refuse_incremental_snapshot(offset)
        if offset.get("snapshot") not in {None, False, "false"} and not _true(offset.get("snapshot_completed")):
            raise ProgressError(
                "Debezium's offset was written within a snapshot: let Debezium finish it and deliver one change more "
                "(only then its offset says that the snapshot is done), then stop Debezium and take its offset again"
            )
        if not offset.get("file"):
            raise ProgressError(f"Debezium's offset names no log file: {dict(offset)!r}")
        gtids = offset.get("gtids")
        return cls(
            file=str(offset["file"]),
            pos=int(offset.get("pos") or FIRST_OFFSET),
            gtids="".join(str(gtids).split()) if gtids else None,
            skip_events=int(offset.get("event") or 0),
            skip_rows=int(offset.get("row") or 0),
        )


def _split(name: str) -> tuple[str, int]:
    matched = FILE_NAME.fullmatch(name)
    if not matched:
        raise ProgressError(
            f"{name!r} is not the name of a MySQL log file: it should end with a dot and a number"
        )
    return matched[1], int(matched[2])


def log_position(
    until: RestartPosition, delivered: str = "", restart: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A log position in a snapshot's state: up to where it is read, and the progress there; P without progress."""
    reached = until.to_dict()
    return {"until": reached, "delivered": delivered, "restart": reached if restart is None else restart}


def restart_text(restart: Mapping[str, Any]) -> str:
    """A restart position in the form of Debezium's logger; `restart` as from `RestartPosition.to_dict`."""
    return f"{{{', '.join(f'{name}={restart.get(name)}' for name in ('file', 'pos', 'gtids'))}}}"


def _typed(name: str, value: Any) -> Any:
    if name in {"gtids", "server_uuid", "skip_gtid", "open_gtid"}:
        return None if value is None else str(value)
    if name in {"initial", "is_prepared"}:
        return bool(value)
    if name == "file_created" and value is None:
        return None
    return str(value) if name == "file" else int(value)


def _true(value: Any) -> bool:
    return value is True or value == "true"
