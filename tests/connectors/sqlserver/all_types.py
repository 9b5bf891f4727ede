"""One column of each type with a value, and columns with defaults: a table for real Debezium and for tailrace.

`python -m tests.connectors.sqlserver.all_types` lets Debezium read it, on the stand-in, and records the result.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

RECORDED: Final = Path(__file__).parent / "data" / "debezium_types.json"
COLUMNS: Final = {
    "c_bit": ("bit", "1"),
    "c_tinyint": ("tinyint", "255"),
    "c_smallint": ("smallint", "-5"),
    "c_int": ("int", "7"),
    "c_bigint": ("bigint", "9007199254740993"),
    "c_real": ("real", "1.1"),
    "c_float": ("float", "0.1"),
    "c_float24": ("float(24)", "0.1"),
    "c_decimal5": ("decimal(5,2)", "-123.45"),
    "c_decimal20": ("decimal(20,9)", "-0.000000001"),
    "c_numeric38": ("numeric(38,10)", "1234567890123456789012345678.0123456789"),
    "c_money": ("money", "-922337203685477.5808"),
    "c_smallmoney": ("smallmoney", "214748.3647"),
    "c_char": ("char(5)", "'ab'"),
    "c_varchar": ("varchar(20)", "'naïve €'"),
    "c_varchar_max": ("varchar(max)", "'yy'"),
    "c_text": ("text", "'old'"),
    "c_nchar": ("nchar(4)", "N'žž'"),
    "c_nvarchar": ("nvarchar(50)", "N'žluť 😀'"),
    "c_nvarchar_max": ("nvarchar(max)", "N'žžž'"),
    "c_ntext": ("ntext", "N'ž old'"),
    "c_xml": ("xml", "N'<a>ž</a>'"),
    "c_binary": ("binary(4)", "0x0001FE"),
    "c_varbinary": ("varbinary(10)", "0xFBFF"),
    "c_varbinary_max": ("varbinary(max)", "0x0102"),
    "c_image": ("image", "0x89504E47"),
    "c_guid": ("uniqueidentifier", "'6f9619ff-8b86-d011-b42d-00c04fc964ff'"),
    "c_date": ("date", "'2024-02-29'"),
    "c_time0": ("time(0)", "'23:59:59'"),
    "c_time3": ("time(3)", "'01:02:03.120'"),
    "c_time6": ("time(6)", "'01:02:03.123456'"),
    "c_time7": ("time(7)", "'01:02:03.1234567'"),
    "c_smalldatetime": ("smalldatetime", "'2024-02-29 12:34'"),
    "c_datetime": ("datetime", "'1753-01-01 23:59:59.997'"),
    "c_datetime2_0": ("datetime2(0)", "'2024-02-29 12:34:56'"),
    "c_datetime2_3": ("datetime2(3)", "'1969-12-31 23:59:59.789'"),
    "c_datetime2_6": ("datetime2(6)", "'1969-12-31 23:59:59.789123'"),
    "c_datetime2_7": ("datetime2(7)", "'1969-12-31 23:59:59.9999999'"),
    "c_datetimeoffset7": ("datetimeoffset(7)", "'2024-02-28 23:34:56.1234567 +05:30'"),
    "c_datetimeoffset0": ("datetimeoffset(0)", "'2024-02-29 02:34:56 -05:00'"),
    "c_datetimeoffset3": ("datetimeoffset(3)", "'2024-02-29 02:34:00.120 +00:00'"),
    "c_variant": ("sql_variant", "CAST(42 AS int)"),
}
DEFAULTS: Final = {
    "d_bit": ("bit", "((1))"),
    "d_bit_0": ("bit", "((0))"),
    "d_tinyint": ("tinyint", "255"),
    "d_smallint": ("smallint", "-3"),
    "d_negated": ("smallint", "(-(3))"),
    "d_int": ("int", "-5"),
    "d_bigint": ("bigint", "3147483648"),
    "d_bigint_dot": ("bigint", "3147483648."),
    "d_real": ("real", "1.1"),
    "d_float": ("float", "1.2345e3"),
    "d_decimal": ("decimal(10,4)", "100.12"),
    "d_numeric": ("numeric(10,0)", "5"),
    "d_money": ("money", "922337203685477.58"),
    "d_smallmoney": ("smallmoney", "-(3.5)"),
    "d_date": ("date", "'2019-02-03'"),
    "d_date_digits": ("date", "'20200102'"),
    "d_datetime": ("datetime", "'2019-01-01 12:34:56.789'"),
    "d_datetime_number": ("datetime", "0"),
    "d_datetime2": ("datetime2(7)", "'2019-01-01 00:00:00.1234567'"),
    "d_datetime2_3": ("datetime2(3)", "'2019-01-01 00:00:00.1234567'"),
    "d_datetime2_far": ("datetime2(7)", "'9999-12-31'"),
    "d_datetimeoffset": ("datetimeoffset", "'2019-01-01 00:00:00.1234567+02:00'"),
    "d_smalldatetime": ("smalldatetime", "'2019-01-01 00:01:40'"),
    "d_time": ("time(7)", "'11:12:13.1234567'"),
    "d_time0": ("time(0)", "'11:12:13.6'"),
    "d_getdate": ("datetime", "getdate()"),
    "d_sysutcdatetime": ("datetime2", "sysutcdatetime()"),
    "d_char": ("char(5)", "'ab'"),
    "d_varchar": ("varchar(20)", "'it''s (so)'"),
    "d_nvarchar": ("nvarchar(20)", "N'žluť'"),
    "d_nvarchar_1": ("nvarchar(20)", "1"),
    "d_text": ("text", "'tt'"),
    "d_empty": ("varchar(5)", "''"),
    "d_null": ("varchar(5)", "NULL"),
    "d_null_int": ("int", "NULL"),
    "d_null_bit": ("bit", "NULL"),
    "d_null_decimal": ("decimal(5,2)", "NULL"),
    "d_null_date": ("date", "NULL"),
    "d_binary": ("binary(4)", "0x0102"),
    "d_varbinary": ("varbinary(10)", "0xFBFF"),
    "d_guid": ("uniqueidentifier", "'6F9619FF-8B86-D011-B42D-00C04FC964FF'"),
    "d_newid": ("uniqueidentifier", "newid()"),
    "d_user_name": ("nvarchar(20)", "user_name()"),
    "d_sum": ("int", "(1)+(2)"),
    "d_convert": ("date", "CONVERT(date,'2020-01-02')"),
    "d_int_text": ("int", "'5'"),
    "d_decimal_sum": ("decimal(5,2)", "1+1"),
}
CREATE_TYPED: Final = f"CREATE TABLE dbo.typed (id int IDENTITY NOT NULL PRIMARY KEY, {', '.join(f'{name} {type_} NULL' for name, (type_, _) in COLUMNS.items())})"
CREATE_DEFAULTED: Final = f"CREATE TABLE dbo.defaulted (id int NOT NULL PRIMARY KEY, {', '.join(f'{name} {type_} NULL DEFAULT {value}' for name, (type_, value) in DEFAULTS.items())})"
INSERT: Final = f"INSERT dbo.typed ({', '.join(COLUMNS)}) VALUES ({', '.join(value for _, value in COLUMNS.values())})"
INSERT_NULLS: Final = "INSERT dbo.typed (c_int) VALUES (NULL)"
MODES: Final[dict[str, dict[str, str]]] = {
    "adaptive": {"column.propagate.source.type": ".*"},
    "connect": {"time.precision.mode": "connect", "binary.handling.mode": "hex", "decimal.handling.mode": "string"},
    "isostring": {"time.precision.mode": "isostring", "binary.handling.mode": "base64", "decimal.handling.mode": "double"},
    "microseconds": {"time.precision.mode": "microseconds", "binary.handling.mode": "base64-url-safe"},
    "nanoseconds": {"time.precision.mode": "nanoseconds"},
    "adaptive_time_microseconds": {"time.precision.mode": "adaptive_time_microseconds"},
    "truncated": {"column.truncate.to.3.chars": "dbo.typed.c_.*", "decimal.handling.mode": "string"},
    "masked": {"column.mask.with.5.chars": "dbo.typed.c_.*", "binary.handling.mode": "hex"},
    "hashed": {"column.mask.hash.SHA-256.with.salt.pepper": "dbo.typed.c_.*", "time.precision.mode": "isostring"},
    "hashed again": {"column.mask.hash.v2.MD5.with.salt.pepper": "dbo.typed.c_.*"},
}


def recorded() -> dict[str, Any]:
    """What Debezium gave: the tables in its history, and for each mode the fields' schemas and values of both rows."""
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def record() -> None:
    """Show the tables to real Debezium."""
    from tests.standins.sqlserver.debezium.shop import Reading, of_tables, opened

    found: dict[str, dict[str, Any]] = {}
    with opened() as shop:
        shop.run(CREATE_TYPED, INSERT, CREATE_DEFAULTED, "INSERT dbo.defaulted (id) VALUES (1)")
        for table in ("typed", "defaulted"):
            shop.enable(table)
        shop.capture.wait("inventory")
        for mode, properties in MODES.items():
            more = {"table.include.list": "dbo.typed,dbo.defaulted", "value.converter.schemas.enable": "true"}
            more |= {"decimal.handling.mode": "precise"} | properties
            with tempfile.TemporaryDirectory() as folder, Reading(shop.server, Path(folder), more) as reading:
                reading.start()
                reading.until(lambda records: len(of_tables(records)) >= 2, "both rows")
                found[mode] = {k: v for each in of_tables(reading.records) for k, v in _fields(each.record.value).items()}
                found.setdefault("history", dict(_columns(reading.history())))
    parts = [f'"{name}": {{\n{_lines(each)}\n}}' for name, each in found.items()]
    RECORDED.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _lines(columns: dict[str, Any]) -> str:
    return ",\n".join(f'"{name}": {json.dumps(told, ensure_ascii=False)}' for name, told in columns.items())


def _columns(history: list[Any]) -> Iterator[tuple[str, Any]]:
    for change in (change for record in history for change in record.get("tableChanges", ())):
        if change["id"].rpartition(".")[2] in {'"typed"', '"defaulted"'}:
            columns = change["table"]["columns"]
            yield from ((column["name"], column) for column in columns if column["name"] != "id" or "typed" in change["id"])


def _fields(value: Any) -> dict[str, Any]:
    after = next(each for each in value["schema"]["fields"] if each["field"] == "after")
    row = value["payload"]["after"]
    return {field["field"]: {"schema": field, "value": row[field["field"]]} for field in after["fields"]}


if __name__ == "__main__":
    record()
