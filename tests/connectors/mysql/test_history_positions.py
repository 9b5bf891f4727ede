"""Which records of the schema history hold at a place of the log, whichever server either was read from."""

import pytest

from support.unit_settings import unit_settings
from tailrace.connectors.mysql.gtid import source_filter
from tailrace.connectors.mysql.history_positions import holds_at, holds_for

A, B = "aaaaaaaa-0000-0000-0000-000000000001", "bbbbbbbb-0000-0000-0000-000000000002"
HIGH, LOW = "mysql-bin.000009", "mysql-bin.000002"


def statement(file, pos, gtids=None, gtid=None):
    given = {"file": file, "pos": pos, "gtids": gtids, "gtid": gtid}
    position = {name: value for name, value in given.items() if value is not None}
    return {"source": {}, "position": position, "ddl": "ALTER TABLE t ADD c INT"}


def place(file, pos, gtids=None):
    return {"file": file, "pos": pos, **({} if gtids is None else {"gtids": gtids})}


@pytest.mark.parametrize(
    ("record", "executed", "holds"),
    [
        (statement(HIGH, 900, f"{A}:1-4", f"{A}:5"), f"{A}:1-5", True),
        (statement(HIGH, 900, f"{A}:1-4", f"{A}:5"), f"{A}:1-4", False),
        (statement(LOW, 4, f"{A}:1-4", f"{A}:5"), f"{A}:1-4", False),
        (statement(HIGH, 900, f"{A}:1-4", f"{A}:6"), f"{A}:1-5", False),
        (statement(LOW, 4, f"{A}:1-5", f"{A}:4"), f"{A}:1-4", True),  # replicated in another order
        (statement(HIGH, 900, f"{A}:1-4"), f"{A}:1-7", True),
        (statement(LOW, 4, f"{A}:1-9"), f"{A}:1-7", False),
        (statement(HIGH, 900), f"{A}:1", True),  # from before GTIDs were on
    ],
)
def test_gtids_decide_where_both_have_them(record, executed, holds):
    assert holds_at(place("mysql-bin.000003", 500, executed))(record) is holds


@pytest.mark.parametrize(("pos", "holds"), [(500, True), (501, False)])
def test_the_place_decides_between_equal_sets_where_a_statement_has_no_gtid_of_its_own(pos, holds):
    assert holds_at(place(LOW, 500, f"{A}:1-4"))(statement(LOW, pos, f"{A}:1-4")) is holds


@pytest.mark.parametrize("made", [{"snapshot": True}, {}])
def test_a_structure_that_no_statement_made_holds_where_its_set_was_executed(made):
    record = {"source": {}, "position": {**place(HIGH, 900, f"{A}:1-4"), **made}, "ddl": "CREATE TABLE t" if made else ""}
    assert holds_at(place(LOW, 4, f"{A}:1-4"))(record)
    assert not holds_at(place(LOW, 4, f"{A}:1-3"))(record)


def test_transactions_that_do_not_count_may_lack_at_the_place():
    record = statement(HIGH, 900, f"{A}:1-4,{B}:1-9")
    there = place(LOW, 4, f"{A}:1-6")
    assert not holds_at(there)(record)
    assert holds_at(there, source_filter(excludes=[B]))(record)
    assert holds_for(unit_settings({"gtid.source.excludes": B}), there)(record)


def test_file_and_offset_decide_without_gtids_and_where_they_are_to_be_ignored():
    earlier, later = statement(LOW, 4, f"{A}:1-9", f"{A}:10"), statement(HIGH, 4, f"{A}:1", f"{A}:2")
    for holds in (
        holds_at(place("mysql-bin.000005", 4)),
        holds_for(unit_settings({"gtid.ignore.on.recovery": "true"}), place("mysql-bin.000005", 4, f"{A}:1-5")),
    ):
        assert (holds(earlier), holds(later)) == (True, False)
