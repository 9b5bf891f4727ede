"""The schema history that reading begins with, and where new records of it go.

It comes with the progress. Where that has none it is read from the file that the configuration names (Debezium's, say),
or built again from the tables as they are (snapshot.mode=recovery); then it goes with the next progress. The file gets
every record before the batch that it belongs to is handed on: a record too many is found out by its position later.
"""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql.opening import rebuilt_history
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.schema.history import HistoryFile, at_or_before


class KeptHistory:
    """The history up to the delivered position.

    Attributes:
        records: of it.
        at_restart: those of them whose structures hold where reading begins.

    """

    def __init__(
        self,
        settings: Settings,
        restart: RestartPosition,
        delivered: BinlogPosition | None,
        given: Sequence[HistoryRecord],
    ) -> None:
        path = settings.schema_history_internal_file_filename
        self._file = HistoryFile(path) if path else None
        self.records = list(given)
        if not given and self._file is not None:
            pos = restart.pos if delivered is None else max(delivered.pos, restart.pos)
            wanted = at_or_before({"file": restart.file, "pos": pos})
            self.records = [record for record in self._file.load() if wanted(record["position"])]
        if not self.records and settings.snapshot_mode == "recovery":
            self.records = list(rebuilt_history(settings, restart))
        self.at_restart = self.records
        if restart.is_prepared:  # far behind what is delivered: statements in between are gone through once more
            before = at_or_before({"file": restart.file, "pos": restart.pos})
            self.at_restart = [record for record in self.records if before(record["position"])]
        self._unsaved: list[HistoryRecord] = [] if given else list(self.records)
        self._to_file(self.records)

    def save(self, new: Sequence[HistoryRecord]) -> list[HistoryRecord]:
        """Write new records to the file; what is to be stored with the progress."""
        self._to_file(new)
        saved, self._unsaved = [*self._unsaved, *new], []
        return saved

    def _to_file(self, records: Sequence[HistoryRecord]) -> None:
        if self._file is not None and records:
            self._file.append(records)
