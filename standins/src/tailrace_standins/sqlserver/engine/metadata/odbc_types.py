"""sp_datatype_info: the types as ODBC's and JDBC's metadata calls list them.

Source: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-datatype-info-transact-sql
"""

# ruff: noqa: E501  # lists of columns are not wrapped
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.metadata import view_types
from tailrace_standins.sqlserver.engine.metadata.arguments import result, text_of
from tailrace_standins.sqlserver.session import Outcome, Parameter
from tailrace_standins.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def datatype_info(_session: EngineSession, _database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    """sp_datatype_info [@data_type, @ODBCVer]."""
    wanted, version = int(text_of(p, "@data_type") or 0), int(text_of(p, "@odbcver") or 2)
    numbers = view_types.ODBC_3_TYPES if version >= 3 else view_types.ODBC_TYPES
    rows: list[tuple[Value, ...]] = []
    for name, number in sorted(numbers.items(), key=lambda item: (item[1], item[0])):
        if wanted in {0, number}:
            of = SqlType(
                name,
                length=8000
                if name in {"char", "varchar", "binary", "varbinary"}
                else 4000
                if name in {"nchar", "nvarchar"}
                else 0,
                precision=38,
            )
            text = types.family(of) in {"text", "date", "time", "datetime", "offset", "guid"}
            prefix = (
                "0x"
                if types.family(of) == "binary"
                else ("N'" if name[0] == "n" and types.is_text(of) else "'")
                if text
                else None
            )
            rows.append(
                (
                    name,
                    number,
                    view_types.odbc_precision(of),
                    prefix,
                    "'" if text else None,
                    None,
                    1,
                    0,
                    3 if types.is_text(of) else 2,
                    0 if types.is_number(of) else None,
                    0,
                    0 if types.is_number(of) else None,
                    name,
                    0,
                    0,
                    number,
                    None,
                    10 if types.is_number(of) else None,
                    None,
                    view_types.type_ids(of)[1],
                )
            )
    yield result(
        "TYPE_NAME:n DATA_TYPE:s PRECISION:i LITERAL_PREFIX:n LITERAL_SUFFIX:n CREATE_PARAMS:n NULLABLE:s CASE_SENSITIVE:s SEARCHABLE:s UNSIGNED_ATTRIBUTE:s MONEY:s AUTO_INCREMENT:s LOCAL_TYPE_NAME:n MINIMUM_SCALE:s MAXIMUM_SCALE:s SQL_DATA_TYPE:s SQL_DATETIME_SUB:s NUM_PREC_RADIX:i INTERVAL_PRECISION:s USERTYPE:s",
        rows,
    )
