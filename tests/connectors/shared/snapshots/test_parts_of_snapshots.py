"""Parts of a snapshot, and how tables are split, without a server."""

import pytest

from tailrace.connectors.base import StartPoint
from tailrace.connectors.shared.snapshots.part_assembly import Limits, Size
from tailrace.connectors.shared.snapshots.parts import RangeEnds, Stepping, walked

LAST = 10  # key of a table whose keys are 1, 2, 3…


def fourth_behind(after):
    found = 4 if after is None else after[0] + 4
    return [found] if found <= LAST else None


@pytest.mark.parametrize(
    ("after", "most", "points", "is_end"),
    [
        (None, 1, [[4]], False),
        (None, 2, [[4], [8]], False),
        (None, 3, [[4], [8]], True),
        ([5], 3, [[9]], True),
        ([8], 3, [], True),
        (None, 0, [], False),
    ],
)
def test_a_walk_along_an_index_ends_with_the_table_or_when_it_has_cuts_enough(after, most, points, is_end):
    assert walked(fourth_behind, after, most) == RangeEnds(points, is_end=is_end)


class Small:
    """A database of small tables without keys."""

    def sizes(self, tables):
        return dict.fromkeys(tables, Size(1, 1))


def parts_of(snapshot):
    point = StartPoint({}, [], {"tables": [["db.a", None], ["db.b", None]], **snapshot})
    return Stepping(Small(), Limits(parts=4, rows=100, bytes=100)).step(point, None).parts


def test_a_part_that_a_signal_asked_for_has_the_statements_of_its_own_tables_only():
    asked = {"kind": "blocking", "statements": {"db.a": "SELECT 1"}}
    first, second = parts_of({"asked": asked})
    assert first["asked"] == asked
    assert second["asked"] == {**asked, "statements": {}}


def test_a_part_that_no_signal_asked_for_says_nothing_of_it():
    assert ["asked" in part for part in parts_of({})] == [False, False]
