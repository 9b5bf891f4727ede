"""Whose rows signals may ask for: names of tables, as the server tells them apart."""

import pytest

from support.unit_settings import unit_settings
from tailrace.connectors.mysql.signal_table import is_captured
from tailrace.schema.tables import TableId

CONFIGURED = {"table.include.list": "shop[.].*", "signal.data.collection": "shop.Signals"}


@pytest.mark.parametrize(
    ("database", "name", "lower_names", "expected"),
    [
        ("shop", "orders", False, True),
        ("other", "orders", False, False),
        ("shop", "Signals", False, False),
        ("shop", "signals", False, True),  # another table, where case counts
        ("shop", "signals", True, False),
    ],
)
def test_they_are_captured_and_no_table_of_signals(database, name, lower_names, expected):
    given = is_captured(unit_settings(CONFIGURED), TableId(database, "", name), lower_names=lower_names)
    assert given is expected


def test_a_table_is_none_of_signals_where_its_channel_is_off():
    settings = unit_settings(CONFIGURED | {"signal.enabled.channels": "file"})
    assert is_captured(settings, TableId("shop", "", "Signals"), lower_names=False)
