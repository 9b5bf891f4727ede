"""From Debezium's offsets to a restart position, and from the progress to offsets that Debezium goes on from.

Debezium has one offset a database: the commit LSN and the change LSN of its last event, and how many rows with these it has
sent. It reads all tables side by side, so within that transaction everything with a smaller change LSN is delivered, in all
tables; here the same is left out. The other way round only the end of a window can be told: within one each table is
somewhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition, RestartPosition, RowPosition
from tailrace.connectors.sqlserver.lsn import LSNS, ZERO
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import ProgressError

Offset = Mapping[str, Any]

NEEDS_HISTORY: Final = False  # structures stand beside the change tables
WHY_TOO_EARLY: Final = ""  # it goes by LSNs
_NULL: Final = "NULL"  # what Debezium writes for an LSN that it does not have
_BEHIND_ALL: Final = LSNS.highest


def partitions_of(settings: SqlServerSettings) -> Sequence[Sequence[Mapping[str, Any]]]:
    """What Debezium's offsets are stored for, by database; where there are several forms, the newest first."""
    server = {"server": settings.topic_prefix}
    names = settings.database_names
    older = [server] if len(names) == 1 else []  # before Debezium 2.0
    return [[{**server, "database": name}, *older] for name in names]


def restart_of(settings: SqlServerSettings, offsets: Sequence[Offset]) -> dict[str, Any]:
    """Where to read on from offsets of Debezium's, one for each database of the configuration.

    Raises:
        ProgressError: one is of an unfinished snapshot, or none at all.

    """
    return RestartPosition(
        {name: position_of(offset) for name, offset in zip(settings.database_names, offsets, strict=True)}
    ).to_dict()


def position_of(offset: Offset) -> DatabasePosition:
    """One database's.

    Raises:
        ProgressError: it is of an unfinished snapshot, or none at all.

    """
    if any(name.startswith("incremental_snapshot") for name in offset):
        raise ProgressError(
            "Debezium's offset was written within an incremental snapshot: let Debezium finish it, or end it with a "
            "stop-snapshot signal, then stop Debezium and take its offset again"
        )
    if offset.get("snapshot") not in {None, False, "false"} and offset.get("snapshot_completed") not in {True, "true"}:
        raise ProgressError(
            "Debezium's offset was written within a snapshot: let Debezium finish it, then stop it and take its offset again"
        )
    commit, change = _lsn(offset.get("commit_lsn")), _lsn(offset.get("change_lsn"))
    if commit is None:
        raise ProgressError(f"Debezium's offset names no commit LSN: {dict(offset)!r}")
    if change is None or change == _BEHIND_ALL:
        return DatabasePosition(commit)
    serial = int(offset.get("event_serial_no") or 0)
    return DatabasePosition(commit.previous(), taken_over=RowPosition(commit, 0, change, 0, serial))


def history_of(records: Sequence[HistoryRecord], offsets: Sequence[Offset]) -> list[HistoryRecord]:
    """The records of a schema history that hold at the offsets."""
    last = max((lsn for lsn in (_lsn(offset.get("commit_lsn")) for offset in offsets) if lsn is not None), default=ZERO)
    return [record for record in records if (_lsn(record["position"].get("commit_lsn")) or ZERO) <= last]


def too_early(records: Sequence[HistoryRecord], offsets: Sequence[Offset]) -> int:  # noqa: ARG001
    """How many records Debezium would take for known at offsets though they stand behind them: it goes by LSNs."""
    return 0


def offsets_of(settings: SqlServerSettings, progress: Progress) -> list[dict[str, Any]]:
    """Debezium's offsets at the delivered position, by database.

    Raises:
        ProgressError: Debezium has no words for this position; the message says what to do.

    """
    restart = POSITIONS.restart(progress.restart, settings.database_names)
    return [_offset(name, restart[name]) for name in settings.database_names]


def place_of(offset: Offset) -> str:
    """An offset of Debezium's in a few words."""
    return f"{offset.get('commit_lsn')} (change {offset.get('change_lsn')})"


def restart_from(given: Mapping[str, Any]) -> dict[str, Any]:
    """A restart position that a person gave: an object with the databases' names, each tailrace's or an offset of Debezium's.

    Raises:
        ProgressError: it is neither.

    """
    if not given or not all(isinstance(each, Mapping) for each in given.values()):
        raise ProgressError(
            'a position of SQL Server names its database: {"inventory": {"lsn": "00000025:00000d98:0003"}}, or with an '
            'offset of Debezium\'s: {"inventory": {"commit_lsn": ..., "change_lsn": ..., "event_serial_no": ...}}'
        )
    return RestartPosition(
        {
            name: position_of(each) if "commit_lsn" in each else POSITIONS.database(each)
            for name, each in given.items()
        }
    ).to_dict()


def _offset(name: str, position: DatabasePosition) -> dict[str, Any]:
    """Debezium begins with the commit that the offset names, and passes over what is not behind its change LSN."""
    if position.until is not None:
        raise ProgressError(
            f"the position in {name} lies within a window of the log, where each table is somewhere else, and Debezium's "
            "offset has one place for all: read on first (tailrace run ... --available-now), and export again"
        )
    if position.taken_over is not None:
        at = position.taken_over
        return {"event_serial_no": at.serial, "commit_lsn": at.commit.text, "change_lsn": at.change.text}
    return {"event_serial_no": 1, "commit_lsn": position.lsn.text, "change_lsn": _BEHIND_ALL.text}


def _lsn(text: Any) -> Lsn | None:
    return None if text in {None, "", _NULL} else LSNS.parse(str(text))
