"""How large records will be, reckoned before they are encoded: what limits batches."""

import numpy as np
import pytest

from support.row_changes import changes_of, row_changes, shape_of
from tailrace.changes.model import Fact, Level
from tailrace.changes.views import vector_of
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.encoding.sizes import JsonSizes

TABLES = {
    "short rows": [("c", None, (n, "a")) for n in range(50)],
    "one row": [("u", (7, "before"), (7, "after"))],
    "deletes": [("d", (n, "text"), None) for n in range(30)],
    "changes of keys": [("u", (n, "text"), (n + 100, "text")) for n in range(30)],
    "wide rows": [("u", (n, "value") * 40, (n, "other") * 40) for n in range(20)],
    "long texts": [("c", None, (n, "x" * 20_000)) for n in range(20)],
    "one long text among short ones": [("c", None, (n, "x" * (500_000 if n == 5 else 1))) for n in range(20)],
    "nulls": [("c", None, (n, None)) for n in range(20)],
}


@pytest.mark.parametrize("schemas", [True, False])
@pytest.mark.parametrize("name", TABLES)
def test_it_is_about_the_size_that_they_have(name, schemas):
    format_ = JsonFormat(schemas=schemas)
    event = row_changes(TABLES[name])
    records = JsonEncoder(format_, format_, format_).encode(event.source_records())
    real = int(records.keys.offsets[-1] + records.values.offsets[-1])
    assert 0.5 * real < JsonSizes(format_, format_).of(event.outline()) < 2 * real


def test_columns_count_where_they_are_larger_than_what_is_made_of_them():
    rows = row_changes([("c", None, (1, "x" * 1000))])
    rows.changes.after[:] = -1  # nothing of it is shown
    assert JsonSizes(JsonFormat(False), JsonFormat(False)).of(rows.outline()) > 1000


def test_of_a_block_of_which_few_rows_are_shown_few_count():
    rows = row_changes([("c", None, (n, "x" * 1000)) for n in range(100)])
    changes = rows.changes
    for name in ("before", "after", "op", "event", "transaction", "log_order"):
        setattr(changes, name, getattr(changes, name)[:1])
    one = shape_of().prepare(changes, 0)
    one.total_order = one.data_collection_order = np.ones(1, np.int64)
    assert one.outline().content < 4000


@pytest.mark.parametrize("lengths", [(20, 20_000), (20_000, 20)])
def test_statements_count_in_the_record_of_each_row_whatever_was_first(lengths):
    format_, shape = JsonFormat(schemas=False), shape_of()
    for length in lengths:
        changes = changes_of([("c", None, (n, "a")) for n in range(50)])
        changes.event[1:] = 1  # a statement of one row, and one of many
        changes.source = {**changes.source, "query": Fact(vector_of([b"q", b"q" * length]), Level.EVENT)}
        rows = shape.prepare(changes, 0)
        rows.total_order = rows.data_collection_order = np.ones(50, np.int64)
        records = JsonEncoder(format_, format_, format_).encode(rows.source_records())
        real = int(records.keys.offsets[-1] + records.values.offsets[-1])
        assert 0.5 * real < JsonSizes(format_, format_).of(rows.outline()) < 2 * real
