"""The schema history that reading begins with, and where new records of it go.

It comes with the progress. Where that has none it is read from the file or the topic that the configuration names
(Debezium's, say), or built again from the tables as they are (snapshot.mode=recovery); then it goes with the next
progress. The file or topic gets every record before the batch that it belongs to is handed on: a record too many is
found out by its position later. Of several lanes only the first writes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.opening import rebuilt_history
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.schema.history import at_or_before
from tailrace.schema.kept import schema_history_of


class KeptHistory:
    """The history up to the delivered position.

    Attributes:
        records: of it.
        at_restart: those of them whose structures hold where reading begins.
        is_rebuilt: they were made of the tables as they are now, and nobody has told of them.

    """

    def __init__(
        self,
        settings: Settings,
        restart: RestartPosition,
        delivered: BinlogPosition | None,
        given: Sequence[HistoryRecord],
        *,
        writes: bool = True,
    ) -> None:
        """`given` came with the progress; with `writes` what is new goes to the place that the settings name as well."""
        self._place = schema_history_of(settings)
        self._writes = writes and self._place is not None
        self.records = list(given)
        if not given and self._place is not None:
            pos = restart.pos if delivered is None else max(delivered.pos, restart.pos)
            wanted = at_or_before({"file": restart.file, "pos": pos})
            self.records = [record for record in self._place.load() if wanted(record["position"])]
        self.is_rebuilt = not self.records and settings.snapshot_mode == "recovery"
        if self.is_rebuilt:
            self.records = list(rebuilt_history(settings, restart))
        self.at_restart = self.records
        if restart.is_prepared:  # far behind what is delivered: statements in between are gone through once more
            before = at_or_before({"file": restart.file, "pos": restart.pos})
            self.at_restart = [record for record in self.records if before(record["position"])]
        self._unsaved: list[HistoryRecord] = [] if given else list(self.records)
        self._copy(self.records)

    def save(self, new: Sequence[HistoryRecord]) -> list[HistoryRecord]:
        """Write new records where the settings say; what is to be stored with the progress."""
        self._copy(new)
        saved, self._unsaved = [*self._unsaved, *new], []
        return saved

    def _copy(self, records: Sequence[HistoryRecord]) -> None:
        if self._place is not None and self._writes and records:
            self._place.append(records)


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
