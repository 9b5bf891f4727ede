"""The schema history that MySQL's log is read with, from where reading begins.

Where none is there it can be built again from the tables as they are (snapshot.mode=recovery).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.opening import rebuilt_history
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.connectors.shared import kept_history as shared
from tailrace.schema.history import at_or_before


class KeptHistory:
    """The history up to the delivered position.

    Attributes:
        at_restart: those of its records whose structures hold where reading begins.
        is_rebuilt: they were made of the tables as they are now, and nobody has told of them.

    """

    def __init__(
        self,
        settings: MySqlSettings,
        restart: RestartPosition,
        delivered: BinlogPosition | None,
        given: Sequence[HistoryRecord],
        *,
        writes: bool = True,
    ) -> None:
        """`given` came with the progress; with `writes` what is new goes to the place that the settings name as well."""
        pos = restart.pos if delivered is None else max(delivered.pos, restart.pos)
        wanted = at_or_before({"file": restart.file, "pos": pos})
        self._kept = shared.KeptHistory(settings, given, lambda record: wanted(record["position"]), writes=writes)
        self.is_rebuilt = not self._kept.records and settings.snapshot_mode == "recovery"
        if self.is_rebuilt:
            self._kept.begin(rebuilt_history(settings, restart))
        self.at_restart = self._kept.records
        if restart.is_prepared:  # far behind what is delivered: statements in between are gone through once more
            before = at_or_before({"file": restart.file, "pos": restart.pos})
            self.at_restart = [record for record in self._kept.records if before(record["position"])]

    def save(self, new: Sequence[HistoryRecord]) -> list[HistoryRecord]:
        """Write new records where the settings say; what is to be stored with the progress."""
        return self._kept.save(new)


class NoHistory:
    """Of one who reads with structures that were given, and keeps what comes to them for himself."""

    at_restart: Sequence[HistoryRecord] = ()
    is_rebuilt = False

    def save(self, new: Sequence[HistoryRecord]) -> list[HistoryRecord]:  # noqa: ARG002
        """Nothing is to be stored."""
        return []


def known_at(desired: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a record of the history holds at a place that is given as in Debezium's offsets.

    GTIDs decide where both have them, since files say nothing of another server; file and offset where they are equal:
    a statement's record has the set from before it.
    """
    by_place = at_or_before(desired)
    limit = GtidSet.parse(desired["gtids"]) if desired.get("gtids") else None

    def known(position: Mapping[str, Any]) -> bool:
        if limit is None:
            return by_place(position)
        executed = GtidSet.parse(position.get("gtids") or "")
        return by_place(position) if executed == limit else executed.is_subset(limit)

    return known
