"""The changes of a section of the log to a snapshot's tables, by digests of keys or of whole rows."""

from __future__ import annotations

import numpy as np

from tailrace.connectors.mysql.snapshots.row_digests import RowDigests
from tailrace.connectors.mysql.snapshots.touched_rows import Broken, Touched, TouchedRows
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.digests import Digests, digests_of
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.key_bytes import key_bytes


class Touches:
    """The digests of one lane's changes.

    For tables without a key, all changes of a section must pass through here before rows are read: see `RowDigests`.
    """

    def __init__(self) -> None:
        self._digests: dict[TableId, RowDigests] = {}

    def row_digests(self, table: TableId) -> RowDigests:
        """The digests of the rows of a table without a key."""
        return self._digests.setdefault(table, RowDigests())

    def of(self, touched: Touched) -> TableTouches:
        """The digests of some changes, or the end of a table's history."""
        if isinstance(touched, Broken):
            return _broken(touched)
        complete = touched.complete & (not touched.is_whole or bool(touched.keys))
        return TableTouches.of_images(
            quoted_id(touched.table.id),
            touched.before,
            touched.after,
            self._digests_of(touched),
            complete,
            touched,
            is_whole=touched.is_whole,
        )

    def _digests_of(self, touched: TouchedRows) -> Digests:
        if not touched.is_whole:
            return digests_of(key_bytes(touched.keys))
        if not touched.keys:
            return np.zeros((len(touched.complete), 2), np.uint64)
        digests = self.row_digests(touched.table.id)
        return digests.of_images(touched.table, touched.key_columns, touched.keys)


def _broken(broken: Broken) -> TableTouches:
    digests, nothing = np.empty((0, 2), np.uint64), np.empty(0, np.bool_)
    return TableTouches(quoted_id(broken.table), digests, nothing, digests, nothing, nothing, broken=broken.what)
