"""The position that all lanes can reach: the furthest window's end in each database."""

import pytest

from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.common_boundary import common_boundary
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import DatabasePosition, Positions, RestartPosition
from tailrace.errors import ConfigError

POSITIONS = Positions(LsnForm(10, "a database"))


def lsn(number: int) -> Lsn:
    return Lsn(number.to_bytes(10, "big"))


def lane(**databases: DatabasePosition) -> Progress:
    restart = RestartPosition(databases)
    return Progress(restart.delivered, restart.to_dict())


def at(number: int, until: int | None = None) -> DatabasePosition:
    return DatabasePosition(lsn(number), until=None if until is None else lsn(until), table=until and "dbo.t")


def test_it_is_the_end_of_the_farthest_window_of_each_database() -> None:
    point = common_boundary(POSITIONS, [lane(a=at(5), b=at(9)), lane(a=at(3, until=7), b=at(8, until=9))], ["a", "b"])
    assert point.to_dict() == RestartPosition({"a": at(7), "b": at(9)}).to_dict()


def test_a_database_that_is_read_no_more_must_not_keep_them_apart() -> None:
    assert common_boundary(POSITIONS, [lane(a=at(5), gone=at(9)), lane(a=at(3), gone=at(9))], ["a"])["a"].lsn == lsn(5)
    with pytest.raises(ConfigError, match=r"in the database gone, which is not in database\.names any more: name it again"):
        common_boundary(POSITIONS, [lane(a=at(5), gone=at(9)), lane(a=at(5), gone=at(8))], ["a"])
