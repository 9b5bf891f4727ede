"""Which records a change becomes."""

import numpy as np
import pyarrow as pa
import pytest

from tailrace.changes import expand as roles
from tailrace.changes.expand import expand
from tailrace.changes.model import Changes
from tailrace.changes.vectors import from_arrow


def changes_of(*events):
    """Each event is (operation, image before, image after)."""
    n = len(events)
    index = np.arange(n, dtype=np.int32)
    return Changes(
        columns=[],
        before=np.array([e[1] for e in events], np.int32),
        after=np.array([e[2] for e in events], np.int32),
        op=np.array([ord(e[0]) for e in events], np.uint8),
        source={},
        constants={},
        event=index,
        transaction=np.zeros(n, np.int32),
        position=(),
        log_order=index.astype(np.int64),
    )


def records(events, keys, **options):
    found = expand(changes_of(*events), keys, **{"tombstones": True, **options})
    shown = []
    for i in range(found.roles.shape[1]):
        r = {name: int(found.roles[getattr(roles, name), i]) for name in ("CHANGE", "BEFORE", "AFTER", "KEY", "NEW_KEY", "OLD_KEY")}
        shown.append((chr(found.op[i]) if found.live[i] else "tombstone", *r.values()))
    return shown


INT_KEY = [from_arrow(pa.array([1, 1, 2, 3]))]


def test_a_create_and_an_update_are_one_record_each():
    assert records([("c", -1, 0), ("u", 0, 1)], INT_KEY) == [("c", 0, -1, 0, 0, -1, -1), ("u", 1, 0, 1, 1, -1, -1)]


def test_a_delete_is_followed_by_a_tombstone_with_the_same_key():
    assert records([("d", 2, -1)], INT_KEY) == [("d", 0, 2, -1, 2, -1, -1), ("tombstone", 0, -1, -1, 2, -1, -1)]


def test_a_delete_has_no_tombstone_where_none_are_wanted():
    assert records([("d", 2, -1)], INT_KEY, tombstones=False) == [("d", 0, 2, -1, 2, -1, -1)]


def test_an_update_that_changes_the_key_is_a_delete_a_tombstone_and_a_create():
    assert records([("u", 1, 2)], INT_KEY) == [
        ("d", 0, 1, -1, 1, 2, -1),
        ("tombstone", 0, -1, -1, 1, 2, -1),
        ("c", 0, -1, 2, 2, -1, 1),
    ]


@pytest.mark.parametrize(
    ("column", "moves"),
    [
        (pa.array(["a", "a"], pa.string_view()), False),
        (pa.array(["a", "b"], pa.string_view()), True),
        (pa.array(["a long key that is not inline 1", "a long key that is not inline 1"], pa.string_view()), False),
        (pa.array(["a long key that is not inline 1", "a long key that is not inline 2"], pa.string_view()), True),
        (pa.array([None, None], pa.int64()), False),
        (pa.array([None, 0], pa.int64()), True),
        (pa.array([1.5, 1.5], pa.float32()), False),
        (pa.array([1.5, 2.5], pa.float32()), True),
    ],
)
def test_a_key_is_compared_by_value(column, moves):
    assert len(records([("u", 0, 1)], [from_arrow(column)])) == (3 if moves else 1)


def test_an_update_of_a_table_without_a_key_stays_an_update():
    assert [r[0] for r in records([("u", 0, 2)], None)] == ["u"]


def test_skipped_operations_leave_no_record():
    skipped = np.zeros(256, np.bool_)
    skipped[ord("d")] = True
    assert [r[0] for r in records([("c", -1, 0), ("d", 0, -1), ("u", 0, 1)], INT_KEY, skipped=skipped)] == ["c", "u"]


@pytest.mark.parametrize(
    ("op", "of_changes", "of_records"),
    [
        ("u", [], ["d", "tombstone", "c"]),
        ("d", ["d", "tombstone", "c"], ["c"]),
        ("c", ["d", "tombstone", "c"], ["d", "tombstone"]),
    ],
)
def test_of_an_update_of_the_key_either_the_update_is_skipped_or_a_record(op, of_changes, of_records):
    skipped = np.zeros(256, np.bool_)
    skipped[ord(op)] = True
    moved = [("u", 0, 2)]
    assert [r[0] for r in records(moved, INT_KEY, skipped=skipped)] == of_changes
    assert [r[0] for r in records(moved, INT_KEY, skipped=skipped, skips_records=True)] == of_records
