"""How a key's columns are read, without a server."""

import pytest

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.selecting.keys import raw_key_plan, raw_key_plans
from tailrace.errors import UnsupportedError


def test_impossible_dates_stay_different_numbers():
    assert raw_key_plan(ColumnPlan(Storage.DATE, 0, Out.DAYS)) == ColumnPlan(Storage.INT, 3, Out.INT, unsigned=True)
    assert raw_key_plan(ColumnPlan(Storage.DATETIME2, 6, Out.MICROS)).meta == 8
    assert raw_key_plan(ColumnPlan(Storage.TIME2, 3, Out.NANOS)).meta == 5


def test_only_the_keys_columns_are_read_from_the_log():
    plans = [
        ColumnPlan(Storage.STRING, 2, Out.TEXT, charset="latin1"),
        ColumnPlan(Storage.JSON, 4, Out.TEXT),
        ColumnPlan(Storage.DECIMAL, 10 << 8 | 2, Out.FLOAT64, emit=False),
    ]
    raw = raw_key_plans(plans, [2, 0])
    assert [plan.emit for plan in raw] == [True, False, True]
    assert [raw[0].out, raw[2].out] == [Out.BYTES, Out.UNSCALED]


@pytest.mark.parametrize("wire", [Storage.JSON, Storage.OLD_DATETIME, Storage.VECTOR])
def test_what_is_stored_in_more_than_one_way_is_no_key(wire):
    with pytest.raises(UnsupportedError, match=wire.name):
        raw_key_plan(ColumnPlan(wire, 4, Out.TEXT))
