"""Converts Debezium's offsets to a restart position, and progress to offsets from which Debezium resumes.

Debezium has one offset for each database; `change_tables/debezium_offsets.py` says what it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.change_tables import debezium_offsets
from tailrace.connectors.change_tables.debezium_offsets import Offset
from tailrace.connectors.change_tables.positions import DatabasePosition, RestartPosition
from tailrace.connectors.sqlserver.lsn import LSNS
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import ProgressError

NEEDS_HISTORY: Final = False  # the catalogue has the structures of change tables
WHY_TOO_EARLY: Final = ""  # Debezium compares LSNs here


def partitions_of(settings: SqlServerSettings) -> Sequence[Sequence[Mapping[str, Any]]]:
    """The keys of Debezium's offsets, by database; if there are several forms, the newest first."""
    server = {"server": settings.topic_prefix}
    names = settings.database_names
    older = [server] if len(names) == 1 else []  # before Debezium 2.0
    return [[{**server, "database": name}, *older] for name in names]


def restart_of(settings: SqlServerSettings, offsets: Sequence[Offset]) -> dict[str, Any]:
    """The restart position at Debezium's offsets, one for each configured database.

    Raises:
        ProgressError: one is from an unfinished snapshot, or is not an offset.

    """
    counts = settings.provide_transaction_metadata
    return RestartPosition(
        {
            name: position_of(offset, counts=counts)
            for name, offset in zip(settings.database_names, offsets, strict=True)
        }
    ).to_dict()


def position_of(offset: Offset, *, counts: bool = True) -> DatabasePosition:
    """The position of one database; `counts`: with transaction metadata. Raises as `restart_of` does."""
    return debezium_offsets.position_of(LSNS, offset, counts=counts)


def history_of(records: Sequence[HistoryRecord], offsets: Sequence[Offset]) -> list[HistoryRecord]:
    """The records of a schema history up to the offsets."""
    return debezium_offsets.history_of(LSNS, records, offsets)


def too_early(records: Sequence[HistoryRecord], offsets: Sequence[Offset]) -> int:  # noqa: ARG001
    """0: Debezium never applies records that come after an offset, because it compares LSNs."""
    return 0


def offsets_of(settings: SqlServerSettings, progress: Progress) -> list[dict[str, Any]]:
    """Debezium's offsets at the delivered position, by database.

    Raises:
        ProgressError: no offset can express this position; the message says what to do.

    """
    restart = POSITIONS.restart(progress.restart, settings.database_names)
    return [debezium_offsets.offset_of(LSNS, name, restart[name]) for name in settings.database_names]


def offset_text(offset: Offset) -> str:
    """The position of an offset, for people."""
    return f"{offset.get('commit_lsn')} (change {offset.get('change_lsn')})"


def restart_from(given: Mapping[str, Any]) -> dict[str, Any]:
    """A restart position that the user gave: an object with the databases' names.

    Each member is a position of tailrace or an offset of Debezium.

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
