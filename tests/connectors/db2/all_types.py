"""One column of each type with a value, and columns with defaults: tables for real Debezium and for tailrace.

`python -m tests.connectors.db2.all_types` lets Debezium take a snapshot of them, on the stand-in, and records the result.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

RECORDED: Final = Path(__file__).parent / "data" / "debezium_db2_types.json"
COLUMNS: Final = {
    "C_BOOLEAN": ("BOOLEAN", "TRUE"),
    "C_SMALLINT": ("SMALLINT", "-5"),
    "C_INTEGER": ("INTEGER", "7"),
    "C_BIGINT": ("BIGINT", "9007199254740993"),
    "C_REAL": ("REAL", "1.1E0"),
    "C_DOUBLE": ("DOUBLE", "0.1E0"),
    "C_DECIMAL5": ("DECIMAL(5,2)", "-123.45"),
    "C_DECIMAL31": ("DECIMAL(31,10)", "123456789012345678901.0123456789"),
    "C_DECFLOAT16": ("DECFLOAT(16)", "1.50"),
    "C_DECFLOAT34": ("DECFLOAT(34)", "CAST('1234567890.123456789012345678901234' AS DECFLOAT)"),
    "C_DECFLOAT_BIG": ("DECFLOAT(34)", "CAST('5E20' AS DECFLOAT)"),
    "C_CHAR": ("CHAR(5)", "'ab'"),
    "C_VARCHAR": ("VARCHAR(30)", "'naïve €'"),
    "C_VARCHAR_JA": ("VARCHAR(30)", "'日本'"),
    "C_LONG_VARCHAR": ("LONG VARCHAR", "'long'"),
    "C_GRAPHIC": ("GRAPHIC(4)", "'žž'"),
    "C_VARGRAPHIC": ("VARGRAPHIC(10)", "'žluť 😀'"),
    "C_CHAR_BITS": ("CHAR(4) FOR BIT DATA", "X'0001FE'"),
    "C_VARCHAR_BITS": ("VARCHAR(10) FOR BIT DATA", "X'FBFF'"),
    "C_BINARY": ("BINARY(4)", "X'0001FE'"),
    "C_VARBINARY": ("VARBINARY(10)", "X'FBFF'"),
    "C_DATE": ("DATE", "'2024-02-29'"),
    "C_TIME": ("TIME", "'23:59:58'"),
    "C_TIMESTAMP0": ("TIMESTAMP(0)", "'2024-02-29 12:34:56'"),
    "C_TIMESTAMP3": ("TIMESTAMP(3)", "'1969-12-31 23:59:59.789'"),
    "C_TIMESTAMP6": ("TIMESTAMP", "'1969-12-31 23:59:59.789123'"),
    "C_TIMESTAMP9": ("TIMESTAMP(9)", "'2024-02-29 12:34:56.123456789'"),
    "C_TIMESTAMP12": ("TIMESTAMP(12)", "'1969-12-31 23:59:59.123456789012'"),
    "C_CLOB": ("CLOB(1000)", "'clob ž'"),
    "C_DBCLOB": ("DBCLOB(1000)", "'dbclob ž'"),
    "C_BLOB": ("BLOB(1000)", "X'0102'"),
    "C_XML": ("XML", "'<a>ž</a>'"),
}
DEFAULTS: Final = {
    "D_SMALLINT": ("SMALLINT", "-3"),
    "D_INTEGER": ("INTEGER", "5"),
    "D_BIGINT": ("BIGINT", "3147483648"),
    "D_REAL": ("REAL", "1.5"),
    "D_DOUBLE": ("DOUBLE", "1.25E3"),
    "D_DECIMAL": ("DECIMAL(10,4)", "100.12"),
    "D_DECFLOAT": ("DECFLOAT", "1.5"),
    "D_BOOLEAN": ("BOOLEAN", "TRUE"),
    "D_CHAR": ("CHAR(5)", "'ab'"),
    "D_VARCHAR": ("VARCHAR(20)", "'it''s'"),
    "D_EMPTY": ("VARCHAR(20)", "''"),
    "D_VARGRAPHIC": ("VARGRAPHIC(20)", "'žluť'"),
    "D_DATE": ("DATE", "'2019-02-03'"),
    "D_TIME": ("TIME", "'11:12:13'"),
    "D_TIMESTAMP": ("TIMESTAMP", "'2019-02-03 11:12:13.123456'"),
    "D_CURRENT_DATE": ("DATE", "CURRENT DATE"),
    "D_CURRENT_TIME": ("TIME", "CURRENT TIME"),
    "D_CURRENT_TIMESTAMP": ("TIMESTAMP", "CURRENT TIMESTAMP"),
    "D_NULL": ("VARCHAR(5)", "NULL"),
    "D_BITS": ("VARCHAR(5) FOR BIT DATA", "X'0102'"),
}
HANDLE: Final = "<the driver's object>"
TABLES: Final = ("TYPED", "DEFAULTED", "REQUIRED")
STATEMENTS: Final = (
    "CREATE TABLE DB2INST1.TYPED (ID INTEGER NOT NULL PRIMARY KEY, "
    + ", ".join(f"{name} {of}" for name, (of, _) in COLUMNS.items())
    + ")",
    f"INSERT INTO DB2INST1.TYPED VALUES (1, {', '.join(value for _, value in COLUMNS.values())})",
    "INSERT INTO DB2INST1.TYPED (ID) VALUES (2)",
    "CREATE TABLE DB2INST1.DEFAULTED (ID INTEGER NOT NULL PRIMARY KEY, "
    + ", ".join(f"{name} {of} WITH DEFAULT {value}" for name, (of, value) in DEFAULTS.items())
    + ")",
    "CREATE TABLE DB2INST1.REQUIRED (ID INTEGER NOT NULL PRIMARY KEY, "
    + ", ".join(f"{name} {of} NOT NULL WITH DEFAULT {value}" for name, (of, value) in DEFAULTS.items() if name != "D_NULL")
    + ")",
)
MODES: Final[dict[str, dict[str, str]]] = {
    "adaptive": {"column.propagate.source.type": ".*"},
    "connect": {"time.precision.mode": "connect", "decimal.handling.mode": "string"},
    "isostring": {"time.precision.mode": "isostring", "decimal.handling.mode": "double"},
    "microseconds": {"time.precision.mode": "microseconds"},
    "nanoseconds": {"time.precision.mode": "nanoseconds"},
    "adaptive_time_microseconds": {"time.precision.mode": "adaptive_time_microseconds"},
    "hex": {"binary.handling.mode": "hex"},
}


def recorded() -> dict[str, Any]:
    """What Debezium gave: the tables in its history, and for each mode the fields' schemas and the values of both rows."""
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def record() -> None:
    """Show the tables to real Debezium."""
    from tests.differential.db2.running import DebeziumSession, Stand

    stand = Stand()
    found: dict[str, Any] = {}
    try:
        stand.sql(*STATEMENTS, *(f"INSERT INTO DB2INST1.{table} (ID) VALUES (1)" for table in ("DEFAULTED", "REQUIRED")))
        stand.register(*TABLES)
        for mode, properties in MODES.items():
            more = {"table.include.list": "DB2INST1.(TYPED|DEFAULTED|REQUIRED)", "value.converter.schemas.enable": "true"}
            more |= properties
            with tempfile.TemporaryDirectory() as folder, DebeziumSession(stand, Path(folder), more) as session:
                session.start()
                session.until(lambda records: sum(each.op == "r" for each in records) >= 4, "all rows")
                found[mode] = {}
                for each in session.records:
                    if each.op == "r":
                        table = each.value["source"]["table"]
                        found[mode].setdefault(table, {"schema": _schemas(each.record.value or {}), "rows": []})
                        found[mode][table]["rows"].append({name: _told(value) for name, value in each.value["after"].items()})
                found.setdefault("history", dict(_columns(session.history())))
                session.stop()
    finally:
        stand.close()
    RECORDED.write_text(_written(found), encoding="utf-8")


def _written(found: Mapping[str, Any]) -> str:
    """JSON with a line for each table, and for each row and field of it."""
    lines = []
    for mode, tables in found.items():
        parts = []
        for table, told in tables.items():
            rows = ",\n  ".join(_line(row) for row in told.get("rows", ()))
            fields = ",\n  ".join(f"{_line(name)}: {_line(schema)}" for name, schema in told.get("schema", {}).items())
            shown = f'{{"rows": [\n  {rows}],\n "schema": {{\n  {fields}}}}}' if "rows" in told else _line(told)
            parts.append(f" {_line(table)}: {shown}")
        lines.append(f"{_line(mode)}: {{\n" + ",\n".join(parts) + "\n}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _told(value: Any) -> Any:
    """A value; of large objects Debezium tells the name of the driver's object, which is another one each time."""
    return HANDLE if isinstance(value, str) and value.startswith("com.ibm.") else value


def _schemas(value: Mapping[str, Any]) -> dict[str, Any]:
    after = next(each for each in value["schema"]["fields"] if each["field"] == "after")
    return {each["field"]: each for each in after["fields"]}


def _columns(history: list[Any]) -> Iterator[tuple[str, Any]]:
    for entry in history:
        for change in entry["tableChanges"]:
            yield change["id"], change["table"]


if __name__ == "__main__":
    record()
