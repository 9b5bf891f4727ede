"""Converts Debezium's offsets to a restart position, and progress to offsets from which Debezium resumes.

Debezium has one offset for a connector; `change_tables/debezium_offsets.py` says what it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.change_tables import debezium_offsets
from tailrace.connectors.change_tables.debezium_offsets import Offset
from tailrace.connectors.change_tables.positions import Positions, RestartPosition
from tailrace.connectors.db2.lsn import LSNS, ZOS_LSNS, form_of, positions_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.errors import ProgressError

NEEDS_HISTORY: Final = False  # the catalogue has the structures of CD tables
WHY_TOO_EARLY: Final = ""  # Debezium compares LSNs here


def partitions_of(settings: Db2Settings) -> Sequence[Sequence[Mapping[str, Any]]]:
    """The key of Debezium's offset."""
    return [[{"server": settings.topic_prefix}]]


def restart_of(settings: Db2Settings, offsets: Sequence[Offset]) -> dict[str, Any]:
    """The restart position at Debezium's offset.

    Raises:
        ProgressError: it is from an unfinished snapshot, or is not an offset.

    """
    (offset,) = offsets
    counts = settings.provide_transaction_metadata
    position = debezium_offsets.position_of(form_of(settings), offset, counts=counts)
    return RestartPosition({settings.database_dbname: position}).to_dict()


def history_of(records: Sequence[HistoryRecord], offsets: Sequence[Offset]) -> list[HistoryRecord]:
    """The records of a schema history up to the offset."""
    return debezium_offsets.history_of(_form_in(offsets), records, offsets)


def too_early(records: Sequence[HistoryRecord], offsets: Sequence[Offset]) -> int:  # noqa: ARG001
    """0: Debezium never applies records that come after an offset, because it compares LSNs."""
    return 0


def offsets_of(settings: Db2Settings, progress: Progress) -> list[dict[str, Any]]:
    """Debezium's offset at the delivered position.

    Raises:
        ProgressError: no offset can express this position; the message says what to do.

    """
    name = settings.database_dbname
    restart = positions_of(settings).restart(progress.restart, (name,))
    return [debezium_offsets.offset_of(form_of(settings), name, restart[name])]


def offset_text(offset: Offset) -> str:
    """The position of an offset, for people."""
    return f"{offset.get('commit_lsn')} (change {offset.get('change_lsn')})"


def restart_from(given: Mapping[str, Any]) -> dict[str, Any]:
    """A restart position that the user gave: an object with the database's name.

    Its member is a position of tailrace or an offset of Debezium.

    Raises:
        ProgressError: it is neither.

    """
    if not given or not all(isinstance(each, Mapping) for each in given.values()):
        raise ProgressError(
            'a position of Db2 names its database: {"TESTDB": {"lsn": "00000000:0005a1f0:00000000004cd21e"}}, or with an '
            'offset of Debezium\'s: {"TESTDB": {"commit_lsn": ..., "change_lsn": ..., "event_serial_no": ...}}'
        )
    return RestartPosition(
        {
            name: debezium_offsets.position_of(_form_in([each]), each, counts=True)
            if "commit_lsn" in each
            else Positions(_form_in([each])).database(each)
            for name, each in given.items()
        }
    ).to_dict()


def _form_in(given: Sequence[Mapping[str, Any]]) -> Any:
    """The form of the LSNs in offsets or positions: by their length, as no settings are at hand."""
    texts = (str(each.get("commit_lsn") or each.get("lsn") or "") for each in given)
    return ZOS_LSNS if any(len(text.replace(":", "")) == 2 * ZOS_LSNS.size for text in texts) else LSNS
