"""What signals asked for, as the progress keeps it."""

import json

import pytest

from tailrace.errors import ProgressError
from tailrace.requested_work.work import BlockingWork, TableWork, Work
from tailrace.schema.tables import TableId

ORDERS, ITEMS = TableId("shop", "", "orders"), TableId("shop", "", "it.ems")
KEY = {"index": "PRIMARY", "columns": []}
FULL = Work(
    (TableWork(ORDERS, "a > 1", None, KEY, [7], [99], 3), TableWork(ITEMS, surrogate="s")),
    "one",
    paused=True,
    blocking=BlockingWork({ITEMS: None, ORDERS: "SELECT 1"}, {"lanes": 1}),
    marks={"kafka": 5},
)


def stored(work):
    return json.loads(json.dumps(work.to_dict()))


TELLING = Work(blocking=BlockingWork({}, structures=(ITEMS, ORDERS)))


@pytest.mark.parametrize("work", [Work(), FULL, TELLING, Work((TableWork(ORDERS),), "two"), Work(marks={"file": "0:1"})])
def test_it_is_read_as_it_was_written(work):
    assert Work.from_dict(stored(work)) == work


def test_nothing_to_do_is_nothing_to_keep():
    assert Work().to_dict() is None


def test_with_the_last_table_goes_the_rest_that_it_took():
    assert FULL.without([ORDERS]).paused
    assert not FULL.without([ORDERS, ITEMS]).paused


@pytest.mark.parametrize(
    "damage",
    [
        lambda given: given["tables"][0].pop("rows"),
        lambda given: given["tables"][0].update(after=7),
        lambda given: given["tables"][0].update(unknown=1),
        lambda given: given["blocking"].update(tables=[]),
        lambda given: given["blocking"].update(tables=[{}]),
        lambda given: given.update(tables=5),
    ],
)
def test_a_damaged_record_is_refused(damage):
    given = stored(FULL)
    damage(given)
    with pytest.raises(ProgressError, match="progress"):
        Work.from_dict(given)
