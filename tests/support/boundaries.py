"""Transaction metadata in tests: keys, BEGIN and END records of some transactions, as JSON."""

import numpy as np

from support.encoding import records_of_event
from tailrace.changes.records import binary_of
from tailrace.config.properties.own import CURRENT
from tailrace.events.transactions import Boundaries, Counts, TransactionLayouts

NONE = np.zeros(0, np.int64)


class TransactionRecords:
    def __init__(self, *, schemas=False, shape=CURRENT):
        self._schemas = schemas
        self._layouts = TransactionLayouts(shape)

    def keys(self, ids):
        return self._records(ids, np.zeros(ids.length, np.int64), Counts(NONE, NONE, NONE, [])).keys

    def begins(self, ids, ts_ms):
        return self._records(ids, ts_ms, Counts(NONE, NONE, NONE, [])).values

    def ends(self, ids, ts_ms, counts):
        return self._records(ids, ts_ms, counts, ends=True).values

    def _records(self, ids, ts_ms, counts, *, ends=False):
        each = np.arange(ids.length)
        end = each if ends else np.full(ids.length, -1)
        positions = binary_of([b""] * ids.length)
        event = Boundaries("t", self._layouts, 0, ids, each, end, counts, ts_ms, positions, each)
        return records_of_event(event, schemas=self._schemas)
