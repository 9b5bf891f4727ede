"""The toy as a connector that is followed: what a signal asks for is read beside its log, or while that waits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tests.connectors.change_tables.toy import FORM, NAME, Toy, table_id
from tests.connectors.change_tables.toy_dialect import ToyDecoding, ToyDialect, no_actions, no_reselected
from tests.connectors.change_tables.toy_planned import ToyPlanned
from tests.connectors.change_tables.toy_snapshots import ToyReads, opened_source

from support.signalling import Followed, stored
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Lane, LogBatch, LogRange, Progress, no_other_lanes
from tailrace.connectors.change_tables.blocking import BlockingChangeTables
from tailrace.connectors.change_tables.common_boundary import is_boundary
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.snapshots import planning
from tailrace.connectors.change_tables.snapshots.incremental import ChangeTableIncrementalReader
from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
from tailrace.connectors.change_tables.snapshots.lane_snapshot import ChangeTableSnapshot
from tailrace.connectors.change_tables.start_positions import history_at, restart_now
from tailrace.connectors.change_tables.streaming import LogParts, LogReader
from tailrace.connectors.shared.blocking import BlockingReader
from tailrace.connectors.shared.interrupted_reading import InterruptedReading
from tailrace.connectors.shared.snapshots.database import AddStructure
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.connectors.sqlserver.signal_sql import T_SQL
from tailrace.schema.tables import TableId

SIGNALLED = {
    "signal_data_collection": str(table_id("signals")),
    "incremental_snapshot_chunk_size": "4",
    "notification_enabled_channels": "sink",
    "notification_sink_topic_name": "notices",
    "poll_interval_ms": "1",
    "key_converter_schemas_enable": "false",
    "value_converter_schemas_enable": "false",
}
Between = Callable[[], None]


class ToyConnector:
    """What of a `Connector` a follower asks for; `between` is done before each read of rows."""

    def __init__(self, toy: Toy, between: Between = lambda: None, **properties: str) -> None:
        self._toy, self._between = toy, between
        self.dialect = ToyDialect(toy, **properties)
        self.proofs = KeyProofs(self.dialect, ToyPlanned())

    def head(self) -> Mapping[str, Any]:
        return restart_now(self.dialect).to_dict()

    def begun(self) -> ToyFollowed:
        """Who follows the log from here on."""
        restart = restart_now(self.dialect)
        history = history_at(self.dialect, restart.lsns)
        followed = ToyFollowed(self.dialect.settings, stored(Progress("", restart.to_dict())), list(history))
        followed.of = self
        return followed

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
    ) -> Iterator[LogBatch]:
        tables, reads = ToyPlanned(), ToyReads(self._toy, self._between)
        incremental = partial(ChangeTableIncrementalReader, self.dialect, tables, reads)
        log = partial(LogReader, LogParts(self.dialect, ToyDecoding(), incremental, no_actions, no_reselected), range_)
        blocking = partial(self._blocking, range_.lane)
        return InterruptedReading(progress, history, log, blocking, partial(is_boundary, Positions(FORM))).batches()

    def _blocking(
        self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
    ) -> BlockingReader[Settings]:
        blocked: BlockingChangeTables[Settings] = BlockingChangeTables(self.dialect, T_SQL, self._part, self._reader)
        return BlockingReader(self.dialect.settings, lane, progress, history, blocked)

    def _part(
        self, settings: Settings, tables: Sequence[TableId], place: Mapping[str, Any]
    ) -> Mapping[str, Any] | None:
        return planning.part_of(self.dialect, ToyPlanned(), tables, place, self.proofs)

    def _reader(
        self,
        settings: Settings,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        *,
        tables: Sequence[TableId],
        add_structure: AddStructure,
    ) -> SnapshotReader:
        restart = Positions(FORM).restart(progress.restart)

        def opened(keys: Mapping[str, Any]) -> ChangeTableSnapshot:
            source = opened_source(self._toy, restart[NAME].lsn, keys, self._between)
            return ChangeTableSnapshot(self.dialect, source, history, restart, lambda: 5)

        return SnapshotReader(
            settings, lane, progress, restart.delivered, opened, no_other_lanes, tables, add_structure
        )


class ToyFollowed(Followed):
    """A lane that follows the toy's log."""

    of: ToyConnector

    def connector(self) -> ToyConnector:
        return self.of


def execute(toy: Toy, type_: str, *tables: str) -> None:
    """A signal that asks for a snapshot."""
    data = json.dumps({"data-collections": [str(table_id(each)) for each in tables], "type": type_})
    toy.commit(("signals", None, {"id": f"signal {len(toy.journal)}", "type": "execute-snapshot", "data": data}))
