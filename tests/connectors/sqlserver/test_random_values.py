# ruff: noqa: DTZ001 -- SQL Server's datetimes have no zone
"""Random rows of all types, read from the table and from its change table, equal what Python computes."""

from __future__ import annotations

import base64
import datetime as dt
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.connectors.sqlserver.typed_tables import settings_of, shown, table_of

from tailrace.connectors.sqlserver.connection import literal
from tailrace_standins.servers.sqlserver_server import Database, Server

pytestmark = pytest.mark.drivers
EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
IDS = itertools.count(1)
DIGITS = Context(prec=60)
CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0", max_codepoint=0x2FFFF)
MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999))
OFFSETS = st.integers(-14 * 60, 14 * 60)


@dataclass(frozen=True)
class Kind:
    """A type: random values, a literal of one, and what the default modes and the texts' show for it."""

    type: str
    values: st.SearchStrategy[Any]
    literal: Callable[[Any], str]
    by_default: Callable[[Any], Any]
    as_text: Callable[[Any], Any]


def same(value: Any) -> Any:
    return value


def quoted(value: Any) -> str:
    return literal(str(value))


def unscaled(value: Decimal, scale: int) -> str:
    number = int(value.scaleb(scale, DIGITS))
    size = next(n for n in range(1, 17) if -(1 << 8 * n - 1) <= number < 1 << 8 * n - 1)
    return base64.b64encode(number.to_bytes(size, "big", signed=True)).decode()


def decimals(precision: int, scale: int, type_: str | None = None) -> Kind:
    most = 10**precision - 1
    return Kind(
        type_ or f"decimal({precision},{scale})",
        st.integers(-most, most).map(lambda number: Decimal(f"{number}E-{scale}")),
        lambda value: f"{value:f}",
        lambda value: unscaled(value, scale),
        lambda value: f"{value:.{scale}f}",
    )


def iso(value: dt.datetime, nanos: int) -> str:
    fraction = f"{nanos:09d}".rstrip("0")
    return value.replace(microsecond=0).isoformat() + (f".{fraction}" if fraction else "")


def fraction(nanos: int, digits: int) -> int:
    unit: int = 10 ** (9 - digits)
    return nanos // unit * unit


def datetime2(digits: int, unit: int) -> Kind:
    """`unit` in nanoseconds; (moment, nanoseconds of its second) are the values."""
    low, high = (dt.datetime(1678, 1, 1), dt.datetime(2262, 1, 1)) if unit == 1 else (dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))
    values = st.tuples(st.datetimes(low, high), st.integers(0, 999_999_999).map(lambda nanos: fraction(nanos, digits)))
    return Kind(
        f"datetime2({digits})",
        values,
        lambda value: f"'{value[0].date().isoformat()} {value[0]:%H:%M:%S}.{value[1] // 100:07d}'",
        lambda value: (seconds(value[0]) * 10**9 + value[1]) // unit,
        lambda value: iso(*value) + "Z",
    )


def seconds(value: dt.datetime) -> int:
    return (value.replace(microsecond=0) - EPOCH) // dt.timedelta(seconds=1)


def zoned(digits: int) -> Kind:
    local = st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 12, 31))
    values = st.tuples(local, st.integers(0, 999_999_999).map(lambda nanos: fraction(nanos, digits)), OFFSETS)

    def text(value: tuple[dt.datetime, int, int]) -> str:
        return iso(value[0], value[1]) + ("Z" if value[2] == 0 else offset(value[2]))

    return Kind(f"datetimeoffset({digits})", values, lambda value: f"'{offset_literal(value)}'", text, text)


def offset(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}"


def offset_literal(value: tuple[dt.datetime, int, int]) -> str:
    moment, nanos, zone = value
    return f"{moment.date().isoformat()} {moment:%H:%M:%S}.{nanos // 100:07d} {offset(zone)}"


def times(digits: int, unit: int) -> Kind:
    """Values are nanoseconds of a day."""
    day = 86_400 * 10**9
    values = st.integers(0, day - 1).map(lambda nanos: fraction(nanos, digits))
    return Kind(
        f"time({digits})", values, lambda nanos: f"'{clock(nanos)}'", lambda nanos: nanos // unit, lambda nanos: short(nanos) + "Z"
    )


def clock(nanos: int) -> str:
    whole, rest = divmod(nanos, 10**9)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{rest // 100:07d}"


def short(nanos: int) -> str:
    return clock(nanos).rstrip("0").removesuffix(".")


def of_300ths(moment: dt.datetime, tick: int) -> tuple[dt.datetime, int]:
    return moment.replace(microsecond=0), (tick * 10 + 1) // 3


ANSI = st.text("abcXYZ 019é€", max_size=5)
FLOATS = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False).filter(lambda value: value != 0 or str(value) == "0.0")
DATETIMES = st.builds(of_300ths, st.datetimes(dt.datetime(1753, 1, 1), dt.datetime(9999, 12, 30)), st.integers(0, 299))
MINUTES = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2079, 6, 6)).map(lambda moment: moment.replace(second=0, microsecond=0))
KINDS = {
    "bit": Kind("bit", st.booleans(), lambda value: str(int(value)), same, same),
    "tinyint": Kind("tinyint", st.integers(0, 255), str, same, same),
    "smallint": Kind("smallint", st.integers(-(2**15), 2**15 - 1), str, same, same),
    "int": Kind("int", st.integers(-(2**31) + 1, 2**31 - 1), str, same, same),
    "bigint": Kind("bigint", st.integers(-(2**63) + 1, 2**63 - 1), str, same, same),
    "real": Kind("real", st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False).filter(lambda value: value != 0 or str(value) == "0.0"), lambda value: f"{value:.17e}", lambda value: float(str(np.float32(value))), lambda value: float(str(np.float32(value)))),
    "float": Kind("float", FLOATS, lambda value: f"{value:.17e}", same, same),
    "small": decimals(9, 3),
    "wide": decimals(38, 17),
    "money": decimals(18, 4, "money"),
    "char": Kind("char(6)", ANSI, quoted, lambda value: value.ljust(6), lambda value: value.ljust(6)),
    "varchar": Kind("varchar(10)", ANSI, quoted, same, same),
    "nvarchar": Kind("nvarchar(40)", st.text(CHARACTERS, max_size=20), quoted, same, same),
    "nmax": Kind("nvarchar(max)", st.text(CHARACTERS, max_size=30), quoted, same, same),
    "varbinary": Kind("varbinary(20)", st.binary(max_size=20), lambda value: f"0x{value.hex()}", lambda value: base64.b64encode(value).decode(), bytes.hex),
    "guid": Kind("uniqueidentifier", st.uuids(), quoted, lambda value: str(value).upper(), lambda value: str(value).upper()),
    "date": Kind("date", st.dates(), lambda value: f"'{value.isoformat()}'", lambda value: (value - EPOCH.date()).days, lambda value: f"{value.isoformat()}Z"),
    "time7": times(7, 1),
    "time3": times(3, 1_000_000),
    "datetime": Kind("datetime", DATETIMES, lambda value: f"'{value[0].isoformat()}.{value[1]:03d}'", lambda value: seconds(value[0]) * 1000 + value[1], lambda value: iso(value[0], value[1] * 1_000_000) + "Z"),
    "smalldatetime": Kind("smalldatetime", MINUTES, lambda value: f"'{value.isoformat()}'", lambda value: seconds(value) * 1000, lambda value: iso(value, 0) + "Z"),
    "datetime2_7": datetime2(7, 1),
    "datetime2_6": datetime2(6, 1000),
    "datetime2_3": datetime2(3, 1_000_000),
    "zoned7": zoned(7),
    "zoned0": zoned(0),
}  # fmt: skip
ROWS = st.lists(st.fixed_dictionaries({name: st.none() | kind.values for name, kind in KINDS.items()}), min_size=1, max_size=5)
TEXTS = {"time_precision_mode": "isostring", "decimal_handling_mode": "string", "binary_handling_mode": "hex"}


@pytest.fixture(scope="module")
def database(sqlserver_server: Server) -> Iterator[Database]:
    """A captured table with a column of each type."""
    made = sqlserver_server.create_database()
    columns = ", ".join(f"c_{name} {kind.type} NULL" for name, kind in KINDS.items())
    made.sql(f"CREATE TABLE dbo.random (id int NOT NULL PRIMARY KEY, {columns})")
    made.capture("random")
    yield made
    made.drop()


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(ROWS)
def test_random_rows_come_back_from_tables_and_change_tables(database: Database, rows: list[dict[str, Any]]) -> None:
    ids = [next(IDS) for _ in rows]
    for id_, row in zip(ids, rows, strict=True):
        values = ", ".join("NULL" if row[name] is None else kind.literal(row[name]) for name, kind in KINDS.items())
        database.sql(f"INSERT dbo.random VALUES ({id_}, {values})")
    database.capture_all()
    table = table_of(database, "random")
    for more, form in (({}, "by_default"), (TEXTS, "as_text")):
        expected = [{"id": id_} | {f"c_{name}": of(name, form, value) for name, value in row.items()} for id_, row in zip(ids, rows, strict=True)]
        for source in ("dbo.random", "cdc.dbo_random_CT"):
            assert shown(database, source, table, settings_of(database, **more), f"c.id >= {ids[0]}") == expected, source


def of(name: str, form: str, value: Any) -> Any:
    """What is shown for a value."""
    return None if value is None else getattr(KINDS[name], form)(value)
