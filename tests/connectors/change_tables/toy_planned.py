"""What is asked of the toy's tables when a snapshot is planned."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from tests.connectors.change_tables.toy import MADE, Toy
from tests.connectors.change_tables.toy_dialect import ToyDialect
from tests.connectors.change_tables.toy_snapshots import KEY, ToyCapture, lost

from tailrace.config.overrides import SelectOverride
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey
from tailrace.errors import PositionLostError, RetriableError
from tailrace.requested_work.work import TableWork
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound


class ToyPlanned:
    """`PlannedTables`: all have the key k. A transaction takes a second by the toy's clock."""

    lower_names = False
    lock_timeout_is_final = False

    def key(self, given: Mapping[str, Any]) -> IndexKey[Any]:
        return KEY

    def keys_of(self, session: Toy, instances: Sequence[Instance]) -> Mapping[TableId, IndexKey[Any] | NoKey]:
        return {each.table: session.keys.get(each.table.name, [KEY])[0] for each in instances}

    def key_now(self, session: Toy, instance: Instance, table: TableWork) -> IndexKey[Any] | NoKey:
        return self.keys_of(session, [instance])[table.table]

    def altered_at(self, session: Toy, instances: Sequence[Instance]) -> Mapping[TableId, dt.datetime]:
        return {each.table: session.altered.get(each.table.name, MADE) for each in instances}

    def captured_until(self, session: Toy, lsn: Lsn) -> dt.datetime | None:
        return MADE + dt.timedelta(seconds=int.from_bytes(lsn.raw[:8], "big"))

    def capture(self, session: Toy) -> ToyCapture:
        return ToyCapture(session)

    def start_table(self, session: Toy, table: TableWork, key: IndexKey[Any]) -> TableWork | None:
        greatest = max(session.rows(table.table.name), default=None)
        return None if greatest is None else replace(table, key=key.to_dict(), upto=[greatest])

    def has(self, session: Toy, table: TableId) -> bool:
        return bool(session.db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table.name,)).fetchall())

    def estimated_rows(self, session: Toy, instances: Sequence[Instance]) -> Mapping[TableId, int]:
        return {each.table: len(session.rows(each.table.name)) for each in instances if "k" in each.columns}

    def row_bytes(self, session: Toy, instance: Instance) -> int:
        return 10

    def change_counts(self, session: Toy, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        return ToyDialect(session).row_counts(session, instances, window)

    def key_behind(
        self, session: Toy, table: TableId, key: IndexKey[Any], count: int, after: Bound | None
    ) -> Bound | None:
        behind = sorted(k for k in session.rows(table.name) if after is None or k > after[0])
        return [behind[count - 1]] if len(behind) >= count else None

    def span(self, session: Toy, table: TableId, key: IndexKey[Any]) -> tuple[int, int] | None:
        keys = session.rows(table.name)
        return (min(keys), max(keys)) if keys else None

    def is_before(self, session: Toy, key: IndexKey[Any], bound: Bound, upto: Bound) -> bool:
        return bool(bound[0] < upto[0])

    def require_keys(self, keys: Mapping[TableId, IndexKey[Any] | NoKey]) -> None:
        pass

    def require_readable(
        self, session: Toy, point: Lsn, table: TableId, key: IndexKey[Any] | None, override: SelectOverride
    ) -> None:
        raise NotImplementedError

    def limit_locks(self, session: Toy) -> None:
        pass

    def in_time(self, table: TableId) -> AbstractContextManager[None]:
        return nullcontext()

    def hurry(self, session: Toy, lsn: Lsn) -> None:
        pass

    def late_instances_error(self, database: str, waiting: Sequence[str], seconds: float) -> RetriableError:
        return RetriableError(f"{database}: {waiting}")

    def warn_of_others(self, database: str, tables: Sequence[TableId]) -> None:
        assert not tables

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        return lost(table, point)
