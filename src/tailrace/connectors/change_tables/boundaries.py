"""The BEGIN and END records of a window's transactions (`provide.transaction.metadata`)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes import expand
from tailrace.changes.model import Level
from tailrace.changes.records import Binary
from tailrace.changes.vectors import Vector, integers
from tailrace.changes.views import vector_of
from tailrace.config.settings import Settings
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import COMMAND_DIGITS, position_program
from tailrace.connectors.change_tables.transaction_orders import Orders
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.shared.batches import Batch
from tailrace.events.transactions import Boundaries as Event
from tailrace.events.transactions import TransactionLayouts
from tailrace.schema.names import Names

_COMMANDS: Final = integers(np.array([0, 10**COMMAND_DIGITS - 1]))
_OPERATIONS: Final = integers(np.array([0, 9]))


class Boundaries:
    """Makes the records."""

    def __init__(self, settings: Settings, lsns: LsnForm, *, uses_processing_time: bool) -> None:
        self._topic = Names(settings).transaction_topic
        self._layouts = TransactionLayouts(settings.tailrace_event_shape)
        self._positions = position_program()
        self._uses_processing_time = uses_processing_time
        last = Lsn(b"\xff" * lsns.size)  # an END sorts after all changes of its transaction, a BEGIN before them
        self._changes = vector_of([lsns.zero.text.encode(), last.text.encode()])

    def of(self, transactions: Transactions, orders: Orders, batch: Batch) -> Event:
        """The records of the transactions that have changes, each BEGIN before its END.

        One that Debezium has begun gets its END alone.

        Debezium sends an END when it sees the first event of the next transaction, and with that event's time. So an
        END within the window has the time of the next transaction, and the last one its own.
        """
        with_records = orders.with_records
        ids = lsn_columns.texts(transactions.commit[with_records])
        ts_ms = transactions.time_us[with_records] // 1000
        if self._uses_processing_time:
            ts_ms = np.full_like(ts_ms, batch.now_us // 1000)
        end_ms = np.append(ts_ms[1:], ts_ms[-1:])
        which = np.repeat(np.arange(len(with_records)), 2)
        is_end = np.tile([0, 1], len(with_records))
        kept = (is_end == 1) | orders.begins[which]
        which, is_end = which[kept], is_end[kept]
        return Event(
            topic=self._topic,
            layouts=self._layouts,
            now_us=batch.now_us,
            ids=ids,
            transaction=which,
            end=np.where(is_end, which, -1),
            counts=orders.counts(),
            ts_ms=np.where(is_end, end_ms[which], ts_ms[which]),
            positions=self._position_texts(ids, which, is_end),
            log_order=(batch.rank << 32) + np.arange(len(which), dtype=np.int64),
        )

    def _position_texts(self, ids: Vector, which: npt.NDArray[np.intp], is_end: npt.NDArray[np.intp]) -> Binary:
        roles = np.zeros((expand.ROLES, len(which)), np.int32)
        roles[Level.TRANSACTION] = which
        roles[Level.CHANGE] = is_end
        return self._positions.render([ids, _COMMANDS, self._changes, _OPERATIONS], roles)
