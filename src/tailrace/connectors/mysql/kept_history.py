"""The schema history for reading MySQL's log, from where reading begins.

If there is none it can be rebuilt from the current tables (snapshot.mode=recovery).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql.dump_start import rebuilt_history
from tailrace.connectors.mysql.history_positions import Holds, holds_at, holds_for
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_base, file_name
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared import kept_history as shared
from tailrace.schema.history import identity


class KeptHistory:
    """The history up to the delivered position.

    Attributes:
        at_restart: those of its records whose structures apply where reading begins.
        is_rebuilt: whether they were rebuilt from the current tables, and not delivered yet.

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
        holds = partial(_holds_anywhere, _places(settings, restart, delivered))
        self._kept = shared.KeptHistory(settings, given, holds, writes=writes)
        self.is_rebuilt = not self._kept.records and settings.snapshot_mode == "recovery"
        if self.is_rebuilt:
            self._kept.begin(rebuilt_history(settings, restart))
        self.at_restart = self._kept.records
        self._read_again: set[bytes] = set()
        if restart.is_prepared:  # long before the delivered position: statements in between are read again
            before = holds_for(settings, restart.to_dict())
            self.at_restart = [record for record in self._kept.records if before(record)]
            self._read_again = {identity(record) for record in self._kept.records if not before(record)}

    def save(self, new: Sequence[HistoryRecord]) -> list[HistoryRecord]:
        """Write new records to the configured place; return those to store with the progress.

        A structure that a table map tells once more, since the log is read again from a prepared XA transaction on, is not new:
        behind a statement that has altered the table meanwhile it would count as the newer one.
        """
        return self._kept.save([record for record in new if identity(record) not in self._read_again])


def _places(settings: MySqlSettings, restart: RestartPosition, delivered: BinlogPosition | None) -> list[Holds]:
    """What tells the records up to the delivered position, of each place that counts."""
    place = restart.to_dict()
    if delivered is None:
        return [holds_for(settings, place)]
    if not restart.is_prepared:  # at most one transaction is open, whose table maps may have had structures
        return [holds_for(settings, {**place, "pos": max(delivered.pos, restart.pos)})]
    file = file_name(file_base(restart.file), delivered.file)  # on the same server, or reading could not resume
    return [holds_for(settings, place), holds_at({"file": file, "pos": delivered.pos})]


def _holds_anywhere(places: Sequence[Holds], record: HistoryRecord) -> bool:
    return any(holds(record) for holds in places)
