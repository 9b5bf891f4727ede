"""System procedures: those that drivers call for metadata, sp_rename, sp_describe_first_result_set, locks and settings.

Source: "System stored procedures",
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/system-stored-procedures-transact-sql
"""

# ruff: noqa: E501  # texts of SQL Server and lists of columns stand in one line
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tailrace.standin.sqlserver.engine import alter, calls, interpret, session_functions, types, view_types
from tailrace.standin.sqlserver.engine.catalog import Column, Database, Index, Table
from tailrace.standin.sqlserver.engine.errors import error, unsupported
from tailrace.standin.sqlserver.engine.parse_base import Reader
from tailrace.standin.sqlserver.engine.system import Procedure, SystemObjects
from tailrace.standin.sqlserver.engine.views import columns, row_count, tables_of
from tailrace.standin.sqlserver.session import Outcome, Parameter, ResultColumn, ResultSet, ReturnStatus
from tailrace.standin.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession

_Run = Callable[["EngineSession", Database, dict[str, Parameter]], Iterator[Outcome]]


def result(text: str, rows: Iterable[Sequence[Value]]) -> ResultSet:
    """A result of short column texts (`views.columns`)."""
    found = [tuple(row) for row in rows]
    return ResultSet(tuple(ResultColumn(name, of) for name, of in columns(text)), iter([found] if found else []))


def _procedure(name: str, parameters: str, run: _Run, required: int = 0) -> Procedure:
    names = tuple(f"@{each}" for each in parameters.split())

    def called(session: EngineSession, database: Database, given: Sequence[Parameter]) -> Iterator[Outcome]:
        yield from run(session, database, calls.bound(name, names, given, required))
        yield ReturnStatus(0)

    return Procedure(name, called)


def text_of(parameters: dict[str, Parameter], name: str) -> str | None:
    """A parameter's value as text, None where it was not given."""
    found = parameters.get(name)
    return None if found is None or found.value is None else str(found.value)


def _matches(pattern: str | None, name: str, *, exact: bool = False) -> bool:
    r"""ODBC's patterns: % and _, with [_] and \_ for the signs themselves; None and % fit all."""
    if pattern is None or pattern == "%":
        return True
    if exact:
        return pattern.lower() == name.lower()
    expression = "".join(
        re.escape(part[1])
        if len(part) == 3 or (part[0] == "\\" and len(part) == 2)
        else ".*"
        if part == "%"
        else "."
        if part == "_"
        else re.escape(part)
        for part in re.findall(r"\[.\]|\\.|.", pattern, re.DOTALL)
    )
    return re.fullmatch(expression, name, re.IGNORECASE | re.DOTALL) is not None


def _database(session: EngineSession, database: Database, parameters: dict[str, Parameter], name: str) -> Database:
    given = text_of(parameters, name)
    return session.engine.catalog.database(given) if given else database


def _sp_tables(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    qualifier = text_of(p, "@table_qualifier")
    name, owner, kind = text_of(p, "@table_name"), text_of(p, "@table_owner"), text_of(p, "@table_type")
    shown = "TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n TABLE_TYPE:n REMARKS:x"
    if qualifier == "%" and name == "" and owner == "":
        yield result(shown, [(d.name, None, None, None, None) for d in session.engine.catalog.databases.values()])
        return
    where = _database(session, database, {} if qualifier in {None, "%"} else p, "@table_qualifier")
    if kind and "'TABLE'" not in kind.upper() and kind != "%":
        yield result(shown, [])
        return
    found = [t for t in tables_of(session, where) if _matches(name, t.name) and _matches(owner, t.schema)]
    found.sort(key=lambda t: (t.schema.lower(), t.name.lower()))
    yield result(shown, [(where.name, t.schema, t.name, "TABLE", None) for t in found])


def _columns(style: int) -> _Run:
    def run(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
        where = _database(session, database, p, "@table_qualifier")
        exact = text_of(p, "@fusepattern") == "0"
        version = int(text_of(p, "@odbcver") or 2)
        name, owner, column = text_of(p, "@table_name"), text_of(p, "@table_owner"), text_of(p, "@column_name")
        rows: list[tuple[Value, ...]] = []
        for t in tables_of(session, where):
            if _matches(name, t.name, exact=exact) and _matches(owner, t.schema, exact=exact):
                rows += [
                    _column_row(where, t, place, c, version, style)
                    for place, c in enumerate(t.columns, 1)
                    if _matches(column, c.name, exact=exact)
                ]
        yield result(_COLUMNS if style == 0 else _COLUMNS_100, rows)

    return run


_COLUMNS: Final = (
    "TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n COLUMN_NAME:n DATA_TYPE:s TYPE_NAME:n PRECISION:i LENGTH:i SCALE:s RADIX:s NULLABLE:s "
    "REMARKS:x COLUMN_DEF:x SQL_DATA_TYPE:s SQL_DATETIME_SUB:s CHAR_OCTET_LENGTH:i ORDINAL_POSITION:i IS_NULLABLE:n SS_DATA_TYPE:t"
)
_COLUMNS_100: Final = (
    _COLUMNS.rpartition(" ")[0]
    + " SS_IS_SPARSE:s SS_IS_COLUMN_SET:s SS_IS_COMPUTED:s SS_IS_IDENTITY:s SS_UDT_CATALOG_NAME:n SS_UDT_SCHEMA_NAME:n "
    "SS_UDT_ASSEMBLY_TYPE_NAME:x SS_XML_SCHEMACOLLECTION_CATALOG_NAME:n SS_XML_SCHEMACOLLECTION_SCHEMA_NAME:n SS_XML_SCHEMACOLLECTION_NAME:n SS_DATA_TYPE:t"
)
_SS_TYPES: Final = {
    "bit": 50, "tinyint": 48, "smallint": 52, "int": 56, "bigint": 63, "real": 59, "float": 62, "decimal": 55, "numeric": 63, "money": 60, "smallmoney": 122,
    "char": 47, "varchar": 39, "text": 35, "nchar": 39, "nvarchar": 39, "ntext": 35, "binary": 45, "varbinary": 37, "image": 34, "timestamp": 45,
    "uniqueidentifier": 37, "datetime": 61, "smalldatetime": 58, "date": 0, "time": 0, "datetime2": 0, "datetimeoffset": 0, "sql_variant": 39, "xml": 0,
}  # fmt: skip


def _column_row(database: Database, t: Table, place: int, c: Column, version: int, style: int) -> tuple[Value, ...]:
    of = c.type
    number = (view_types.ODBC_3_TYPES if version >= 3 and style == 100 else view_types.ODBC_TYPES)[of.name]
    numeric = types.is_number(of)
    scaled = (
        of.scale
        if (numeric and types.family(of) != "float") or of.name in {"time", "datetime2", "datetimeoffset", "datetime"}
        else 0
        if of.name == "smalldatetime"
        else None
    )
    octets = view_types.odbc_length(of) if types.family(of) in {"text", "binary"} else None
    shown = f"{of.name} identity" if c.identity else of.name
    moment = types.family(of) in {"date", "time", "datetime", "offset"}
    sub = (
        {"date": 1, "time": 0, "datetime": 3, "smalldatetime": 3, "datetime2": 3, "datetimeoffset": 0}.get(of.name)
        if moment
        else None
    )
    radix = (2 if types.family(of) == "float" else 10) if numeric and of.name != "bit" else None
    head = (
        database.name, t.schema, t.name, c.name, number, shown, view_types.odbc_precision(of), view_types.odbc_length(of), scaled, radix, int(c.nullable),
        None, c.default.text if c.default else None, 9 if number in {91, 93} else number, sub, octets, place, "YES" if c.nullable else "NO",
    )  # fmt: skip
    if style == 0:
        return (*head, _SS_TYPES[of.name])
    return (
        *head,
        0,
        0,
        int(bool(c.computed)),
        int(bool(c.identity)),
        None,
        None,
        None,
        None,
        None,
        None,
        _SS_TYPES[of.name],
    )


def _sp_pkeys(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    where = _database(session, database, p, "@table_qualifier")
    name, owner = text_of(p, "@table_name"), text_of(p, "@table_owner")
    rows = []
    for t in tables_of(session, where):
        if t.primary_key is not None and _matches(name, t.name, exact=True) and _matches(owner, t.schema, exact=True):
            rows += [
                (where.name, t.schema, t.name, t.by_id[c].name, place, t.primary_key.name)
                for place, (c, _) in enumerate(t.primary_key.columns, 1)
            ]
    yield result("TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n COLUMN_NAME:n KEY_SEQ:s PK_NAME:n", rows)


def _sp_statistics(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    where = _database(session, database, p, "@table_qualifier")
    name, owner, only_unique = (
        text_of(p, "@table_name"),
        text_of(p, "@table_owner"),
        (text_of(p, "@is_unique") or "N").upper() == "Y",
    )
    rows: list[tuple[Value, ...]] = []
    for t in tables_of(session, where):
        if _matches(name, t.name) and _matches(owner, t.schema):
            rows.append(
                (where.name, t.schema, t.name, None, None, None, 0, None, None, None, row_count(session, t), 0, None)
            )
            for i in sorted(t.indexes, key=lambda i: (not i.unique, not i.clustered, i.name)):
                if i.unique or not only_unique:
                    rows += _index_rows(session, where, t, i)
    yield result(
        "TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n NON_UNIQUE:s INDEX_QUALIFIER:n INDEX_NAME:n TYPE:s SEQ_IN_INDEX:s COLUMN_NAME:n COLLATION:c CARDINALITY:i PAGES:i FILTER_CONDITION:x",
        rows,
    )


def _index_rows(session: EngineSession, database: Database, t: Table, i: Index) -> list[tuple[Value, ...]]:
    count = row_count(session, t)
    return [
        (
            database.name,
            t.schema,
            t.name,
            int(not i.unique),
            t.name,
            i.name,
            1 if i.clustered else 3,
            place,
            t.by_id[c].name,
            "D" if down else "A",
            count,
            1,
            None,
        )
        for place, (c, down) in enumerate(i.columns, 1)
    ]


def _sp_databases(session: EngineSession, _database: Database, _p: dict[str, Parameter]) -> Iterator[Outcome]:
    yield result(
        "DATABASE_NAME:n DATABASE_SIZE:i REMARKS:x",
        [(d.name, 16384, None) for d in session.engine.catalog.databases.values()],
    )


def _sp_datatype_info(_session: EngineSession, _database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
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


def _sp_describe(session: EngineSession, _database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    """Source: .../system-stored-procedures/sp-describe-first-result-set-transact-sql."""
    declared = calls.declarations(text_of(p, "@params") or "")
    parameters = [Parameter(name, of, None) for name, of, _ in declared]
    rows = []
    for place, c in enumerate(session.describe(text_of(p, "@tsql") or "", parameters), 1):
        of = c.type
        system, user = view_types.type_ids(of)
        rows.append(
            (
                0,
                place,
                c.name or None,
                int(c.nullable),
                system,
                types.displayed(of),
                view_types.max_length(of),
                view_types.precision(of),
                of.scale,
                of.collation,
                user,
                int(c.identity),
                int(c.computed),
                int(not c.computed and not c.identity),
            )
        )
    yield result(
        "is_hidden:b column_ordinal:i name:n is_nullable:b system_type_id:i system_type_name:n max_length:s precision:t scale:t collation_name:n user_type_id:i is_identity_column:b is_computed_column:b is_updateable:b",
        rows,
    )


def _sp_rename(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    """Source: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-rename-transact-sql."""
    name, new, kind = (
        text_of(p, "@objname") or "",
        text_of(p, "@newname") or "",
        (text_of(p, "@objtype") or "OBJECT").upper(),
    )
    if kind == "COLUMN":
        *owner, column = Reader(name).names()
        where, table = alter.found_table(session, tuple(owner), 15248)
        found = table.by_name.get(column.lower())
        if found is None:
            raise error(15248, kind)
        if new.lower() in table.by_name and new.lower() != column.lower():
            raise error(15335, new, kind)
        columns_now = tuple(replace(c, name=new) if c.id == found.id else c for c in table.columns)
        alter.rename(session, where, table, replace(table, columns=columns_now))
    elif kind == "INDEX":
        *owner, index = Reader(name).names()
        where, table = alter.found_table(session, tuple(owner), 15248)
        if all(i.name.lower() != index.lower() for i in table.indexes):
            raise error(15248, kind)
        alter.rename(
            session,
            where,
            table,
            replace(
                table,
                indexes=tuple(replace(i, name=new) if i.name.lower() == index.lower() else i for i in table.indexes),
            ),
        )
    elif kind == "OBJECT":
        there = session_functions.table_named(session, database, name)
        if there is None:
            raise error(15225, name, database.name, "(null)")
        if there[0].table(there[1].schema, new) is not None:
            raise error(15335, new, "object")
        alter.rename(session, there[0], there[1], replace(there[1], name=new))
    else:
        raise unsupported(f"sp_rename of {kind}")
    yield interpret.notice(
        15477, "Caution: Changing any part of an object name could break scripts and stored procedures."
    )


def _sp_server_info(_session: EngineSession, _database: Database, _p: dict[str, Parameter]) -> Iterator[Outcome]:
    rows = [
        (1, "DBMS_NAME", "Microsoft SQL Server"),
        (2, "DBMS_VER", "Microsoft SQL Server 2022 - 16.0.1000.6"),
        (10, "OWNER_TERM", "owner"),
        (18, "IDENTIFIER_CASE", "MIXED"),
    ]
    yield result("attribute_id:i attribute_name:n attribute_value:x", rows)


def _sp_who(session: EngineSession, _database: Database, _p: dict[str, Parameter]) -> Iterator[Outcome]:
    rows = [
        (s.id, 0, "sleeping", s.login.user, s.login.host, "0", s.database, "AWAITING COMMAND", 0)
        for s in session.engine.sessions.values()
    ]
    yield result("spid:s ecid:s status:n loginame:n hostname:n blk:n dbname:n cmd:n request_id:i", rows)


_ODBC: Final = "table_name table_owner table_qualifier"
_PROCEDURES: Final = (
    _procedure("sp_tables", f"{_ODBC} table_type fusepattern", _sp_tables),
    _procedure("sp_columns", f"{_ODBC} column_name odbcver", _columns(0), 1),
    _procedure("sp_columns_100", f"{_ODBC} column_name namescope odbcver fusepattern", _columns(100), 1),
    _procedure("sp_columns_90", f"{_ODBC} column_name namescope odbcver fusepattern", _columns(100), 1),
    _procedure("sp_pkeys", _ODBC, _sp_pkeys, 1),
    _procedure("sp_statistics", f"{_ODBC} index_name is_unique accuracy", _sp_statistics, 1),
    _procedure("sp_statistics_100", f"{_ODBC} index_name is_unique accuracy", _sp_statistics, 1),
    _procedure("sp_databases", "", _sp_databases),
    _procedure("sp_datatype_info", "data_type odbcver", _sp_datatype_info),
    _procedure("sp_datatype_info_100", "data_type odbcver", _sp_datatype_info),
    _procedure("sp_describe_first_result_set", "tsql params browse_information_mode", _sp_describe, 1),
    _procedure("sp_rename", "objname newname objtype", _sp_rename, 2),
    _procedure("sp_server_info", "attribute_id", _sp_server_info),
    _procedure("sp_who", "loginame", _sp_who),
    _procedure("sp_who2", "loginame", _sp_who),
)


def register(system: SystemObjects) -> None:
    """Make the procedures known."""
    system.add("sys", *_PROCEDURES)
