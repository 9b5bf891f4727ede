"""Changes of rows in change tables: the order that counts, and values that before images lack, without a server."""

import numpy as np
import pyarrow as pa
import pytest

from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.snapshots.touched_rows import in_order
from tailrace.connectors.sqlserver.snapshots.incomplete_images import Large, completed

UNCHANGED, CHANGED = b"\x01", b"\x03"  # the second column's bit


def rows(*given, values=None, masks=None):
    """Rows as (commit, command, operation)."""
    commit = np.frombuffer(b"".join(number.to_bytes(10, "big") for number, _, _ in given), np.uint8).reshape(-1, 10)
    columns = [] if values is None else [pa.array(range(len(given))), pa.array(values, pa.large_string())]
    mask = None if masks is None else pa.array(masks, pa.large_binary())
    command, operation = (np.array([row[i] for row in given], np.int64) for i in (1, 2))
    return ChangeRows(commit, commit, command, operation, mask, columns, 0)


def known(given, *large):
    return completed(given.columns, given, [(slice(each.column, each.column + 1), each) for each in large])


def test_within_a_command_deletes_come_first():
    found = in_order(rows((1, 1, DELETE), (1, 1, INSERT), (1, 1, DELETE), (1, 1, INSERT)))
    assert found.tolist() == [0, 2, 1, 3]


def test_commands_and_transactions_stay_in_their_order():
    found = in_order(
        rows((1, 1, INSERT), (1, 2, DELETE), (2, 2, INSERT), (2, 3, BEFORE), (2, 3, AFTER), (3, 1, DELETE))
    )
    assert found.tolist() == [0, 1, 2, 3, 5]


def test_a_delete_passes_an_update_of_its_command_whose_two_rows_stay_together():
    assert in_order(rows((1, 1, BEFORE), (1, 1, AFTER), (1, 1, DELETE))).tolist() == [2, 0]


def test_changes_whose_command_is_not_known_stay_in_their_order():
    found = in_order(rows((1, 0, INSERT), (1, 0, DELETE), (2, 0, DELETE), (2, 1, INSERT), (2, 1, DELETE)))
    assert found.tolist() == [0, 1, 2, 4, 3]


@pytest.mark.parametrize("is_max", [True, False])
def test_what_an_update_does_not_change_is_taken_from_the_image_after(is_max):
    given = rows((1, 1, BEFORE), (1, 1, AFTER), values=[None, "same"], masks=[UNCHANGED] * 2)
    arrays, complete = known(given, Large(1, 1, is_max))
    assert arrays[1].to_pylist() == ["same", "same"]
    assert arrays[0].to_pylist() == [0, 1]
    assert complete.tolist() == [True, True]


def test_of_a_max_type_null_is_a_value_where_an_update_changes_it_and_in_a_delete():
    given = rows((1, 1, BEFORE), (1, 1, AFTER), (2, 1, DELETE), values=[None, "new", None], masks=[CHANGED] * 3)
    arrays, complete = known(given, Large(1, 1, is_max=True))
    assert arrays[1].to_pylist() == [None, "new", None]
    assert complete.all()


def test_of_a_text_it_is_not_known():
    given = rows(
        (1, 1, BEFORE), (1, 1, AFTER), (2, 1, DELETE), (3, 1, INSERT), (4, 1, BEFORE), (4, 1, AFTER),
        values=[None, "new", None, None, None, None],
        masks=[CHANGED, CHANGED, CHANGED, CHANGED, UNCHANGED, UNCHANGED],
    )  # fmt: skip
    _, complete = known(given, Large(1, 1, is_max=False))
    assert complete.tolist() == [False, True, False, True, False, True]
