"""The schema history that reading begins with, and where new records of it go.

It comes with the progress. Where that has none it is read from the file or the topic that the configuration names
(Debezium's, say); then it goes with the next progress. The file or topic gets every record before the batch that it belongs
to is handed on: a record too many is found out by its position later. Of several lanes only the first writes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord
from tailrace.schema_history.kept import schema_history_of


class KeptHistory:
    """The history up to the delivered position.

    Attributes:
        records: of it.

    """

    def __init__(
        self,
        settings: Settings,
        given: Sequence[HistoryRecord],
        holds: Callable[[HistoryRecord], bool],
        *,
        writes: bool = True,
    ) -> None:
        """`given` came with the progress; else those records of the place in the settings are taken that `holds` is true of.

        With `writes` what is new goes to that place as well.
        """
        self._place = schema_history_of(settings)
        self._writes = writes and self._place is not None
        self.records = list(given)
        if not given and self._place is not None:
            self.records = [record for record in self._place.load() if holds(record)]
        self._unsaved: list[HistoryRecord] = [] if given else list(self.records)
        self._copy(self.records)

    def begin(self, records: Sequence[HistoryRecord]) -> None:
        """Begin with these records, of which nobody knows yet."""
        self.records = list(records)
        self._unsaved = list(records)
        self._copy(records)

    def save(self, new: Sequence[HistoryRecord]) -> list[HistoryRecord]:
        """Write new records where the settings say; what is to be stored with the progress."""
        self._copy(new)
        saved, self._unsaved = [*self._unsaved, *new], []
        return saved

    def _copy(self, records: Sequence[HistoryRecord]) -> None:
        if self._place is not None and self._writes and records:
            self._place.append(records)
