"""Values at the edges of their types, through the driver."""

from __future__ import annotations

from typing import Any

import pytest

from support.change_table_reading import afters, read_on, started
from support.db2_reading import settings_of, write
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers


def told_of(database: Database, type_: str, value: str, **properties: str) -> Any:
    """What the event of a row with a value tells."""
    database.sql(f"CREATE TABLE S.V (ID INTEGER NOT NULL PRIMARY KEY, V {type_})")
    database.register("S.V")
    database.replication.step()
    settings = settings_of(database, **properties)
    read = started(settings)
    write(database, f"INSERT INTO S.V VALUES (1, {value})")
    return afters(read_on(settings, read), "S.V")[0]["V"]


@pytest.mark.parametrize("digits", [0, 6, 12])
def test_the_end_of_the_last_day_is_a_text_of_the_year_10000_as_java_writes_it(db2: Database, digits: int) -> None:
    told = told_of(db2, f"TIMESTAMP({digits})", "'9999-12-31-24.00.00'", time_precision_mode="isostring")
    assert told == "+10000-01-01T00:00:00Z"


@pytest.mark.parametrize("value", ["NaN", "sNaN", "-sNaN"])
def test_a_nan_is_a_double_whether_it_signals_or_not(db2: Database, value: str) -> None:
    assert told_of(db2, "DECFLOAT(34)", f"DECFLOAT('{value}')", decimal_handling_mode="double") == "NaN"
