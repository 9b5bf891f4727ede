"""The schema history at the start of reading, and the storage for new records.

It comes with the progress. If that has none, it is read from the file or topic that the configuration names
(Debezium's, say), and then stored with the next progress.

New records also go to that file or topic, before the batch that they belong to is delivered. If the process dies in
between, the storage has a record too many. Its position shows that later, whereas a missing one could not be recovered.
A task that was replaced may write there until its sink tells it so: records that its successor writes too, and that count once.
Of several lanes only the first writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord
from tailrace.schema_history.configured import schema_history_of


class KeptHistory:
    """The schema history up to the delivered position.

    Attributes:
        records: its records.

    """

    def __init__(
        self,
        settings: Settings,
        given: Sequence[HistoryRecord],
        holds: Callable[[HistoryRecord], bool],
        *,
        writes: bool = True,
    ) -> None:
        """The history that came with the progress (`given`), or the records in the storage for which `holds` is true.

        If `writes`, new records are also written to the storage.
        """
        self._place = schema_history_of(settings)
        self._writes = writes and self._place is not None
        self.records = list(given)
        if not given and self._place is not None:
            self.records = [record for record in self._place.load() if holds(record)]
        # Records that came with the progress are stored with it already; those from the file or topic are not.
        self._unsaved: list[HistoryRecord] = [] if given else list(self.records)
        self._copy(self.records)

    def begin(self, records: Sequence[HistoryRecord]) -> None:
        """Begin with these records, which are not stored anywhere yet."""
        self.records = list(records)
        self._unsaved = list(records)
        self._copy(records)

    def save(self, new: Sequence[HistoryRecord]) -> list[HistoryRecord]:
        """Write new records to the configured storage; returns the records to store with the progress."""
        self._copy(new)
        saved, self._unsaved = [*self._unsaved, *new], []
        return saved

    def _copy(self, records: Sequence[HistoryRecord]) -> None:
        if self._place is not None and self._writes and records:
            self._place.append(records)
