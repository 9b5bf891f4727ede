"""SYSCAT: tables, columns, indexes, constraints, schemas, routines.

Statistics are -1 before RUNSTATS has collected them, as on a server without automatic ones.

Source: IBM Db2 documentation, "SYSCAT.TABLES", "SYSCAT.COLUMNS" and the other catalogue views
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.catalog import NO_STATISTICS, OWNER, SPACE, Column, Database, Index, Table
from tailrace_standins.db2.engine.system.view import Rows, View, view
from tailrace_standins.db2.values import SqlType


def length(of: SqlType) -> int:
    """LENGTH of a column: bytes, digits of DECIMAL, characters of graphic text."""
    fixed = {"smallint": 2, "integer": 4, "bigint": 8, "real": 4, "double": 8, "date": 4, "time": 3, "boolean": 1}
    if of.name == "timestamp":
        return 7 + (of.scale + 1) // 2
    if of.name == "decfloat":
        return 8 if of.precision == 16 else 16
    return fixed.get(of.name) or of.precision or of.length


def codepage(of: SqlType) -> int:
    """The code page of a column: 0 for what is no text."""
    if not types.is_text(of) or of.name == "xml":
        return 0
    return 1200 if "graphic" in of.name or of.name == "dbclob" else 1208


def default_text(column: Column) -> str | None:
    """The default as the catalogue shows it."""
    if column.default != "":
        return column.default
    if types.is_text(column.type) or types.is_binary(column.type):
        return "''"
    return {"date": "CURRENT DATE", "time": "CURRENT TIME", "timestamp": "CURRENT TIMESTAMP"}.get(column.type.name, "0")


def tables(database: Database) -> list[Table]:
    """All tables, in the order in which they were made."""
    return list(database.tables.values())


def _tables(database: Database) -> Rows:
    for table in tables(database):
        unique = sum(index.kind == "U" and index.is_constraint for index in table.indexes)
        keys = next((len(index.columns) for index in table.indexes if index.kind == "P"), 0)
        found = database.statistics.get(table.id, NO_STATISTICS)
        yield (table.schema, table.name, table.owner, "U", "T", "N", table.created, table.altered, table.altered,
               len(table.columns), table.id, SPACE, "Y" if table.captured else "N", table.remarks, keys, unique, "USERSPACE1",
               found.rows, found.pages, found.pages, found.width, found.time, "R", " ",
               "C" if table.is_volatile else " ")  # fmt: skip


def generated(column: Column) -> str:
    """GENERATED: A always, D by default, blank for neither."""
    if column.identity is not None:
        return "A" if column.identity.always else "D"
    return "A" if column.generated else " "


def _columns(database: Database) -> Rows:
    for table in tables(database):
        places = key_places(table)
        statistics = database.statistics.get(table.id, NO_STATISTICS)
        for number, column in enumerate(table.columns):
            yield (table.schema, table.name, column.name, number, "SYSIBM", types.shown(column.type), length(column.type),
                   column.type.scale, default_text(column), "Y" if column.nullable else "N", codepage(column.type),
                   places.get(column.id), "Y" if column.identity else "N", generated(column),
                   f"AS ({column.generated})" if column.generated else None, column.remarks, " ",
                   statistics.widths.get(column.id, -1), -1)  # fmt: skip


def key_places(table: Table) -> dict[int, int]:
    """The primary key's columns by number, with their places from 1."""
    primary = next((index for index in table.indexes if index.kind == "P"), None)
    return {column: place for place, (column, _) in enumerate(primary.columns, 1)} if primary else {}


def _indexes(database: Database) -> Rows:
    for table in tables(database):
        for index in table.indexes:
            names = "".join(("-" if down else "+") + table.by_id(column).name for column, down in index.columns)
            unique = len(index.columns) if index.kind != "D" else -1
            rows = database.statistics.get(table.id, NO_STATISTICS).rows
            yield (index.schema, index.name, table.owner, table.schema, table.name, names, index.kind, len(index.columns),
                   unique, index.id, table.id, int(index.is_constraint), "REG ", "Y", "N", rows if index.kind != "D" else -1,
                   -1, -1, rows, index.created, "Y" if index.reverts == "D" else "N")  # fmt: skip


def _index_columns(database: Database) -> Rows:
    for table in tables(database):
        for index in table.indexes:
            for place, (column, down) in enumerate(index.columns, 1):
                yield index.schema, index.name, table.by_id(column).name, place, "D" if down else "A"


def constraints(table: Table) -> list[Index]:
    """The indexes of its PRIMARY KEY and UNIQUE constraints."""
    return [index for index in table.indexes if index.is_constraint]


def _constraints(database: Database) -> Rows:
    for table in tables(database):
        for index in constraints(table):
            yield index.constraint, table.schema, table.name, table.owner, index.kind, "Y", None


def _key_columns(database: Database) -> Rows:
    for table in tables(database):
        for index in constraints(table):
            for place, (column, _) in enumerate(index.columns, 1):
                yield index.constraint, table.schema, table.name, table.by_id(column).name, place


def _schemas(database: Database) -> Rows:
    for schema in sorted(database.schemas):
        yield schema, "SYSIBM", OWNER


def _routines(database: Database) -> Rows:
    for kind, names in (("P", database.procedures), ("F", database.functions)):
        for schema, name in names:
            yield schema, name, kind, OWNER, name, "N"


VIEWS: Final[dict[tuple[str, str], View]] = {
    ("SYSIBM", "SYSDUMMY1"): view("v_dummy", "f:IBMREQD", lambda _: iter([("Y",)])),
    ("SYSCAT", "TABLES"): view(
        "v_tables",
        "n:TABSCHEMA n:TABNAME n:OWNER f:OWNERTYPE f:TYPE f:STATUS t:CREATE_TIME t:ALTER_TIME t:INVALIDATE_TIME s:COLCOUNT "
        "s:TABLEID s:TBSPACEID f:DATACAPTURE r:REMARKS s:KEYCOLUMNS s:KEYUNIQUE n:TBSPACE b:CARD b:NPAGES b:FPAGES "
        "s:AVGROWSIZE t:STATS_TIME f:TABLEORG f:PARTITION_MODE f:VOLATILE",
        _tables,
    ),
    ("SYSCAT", "COLUMNS"): view(
        "v_columns",
        "n:TABSCHEMA n:TABNAME n:COLNAME s:COLNO n:TYPESCHEMA n:TYPENAME i:LENGTH s:SCALE l:DEFAULT f:NULLS s:CODEPAGE "
        "s:KEYSEQ f:IDENTITY f:GENERATED l:TEXT r:REMARKS f:HIDDEN i:AVGCOLLEN b:COLCARD",
        _columns,
    ),
    ("SYSCAT", "INDEXES"): view(
        "v_indexes",
        "n:INDSCHEMA n:INDNAME n:OWNER n:TABSCHEMA n:TABNAME x:COLNAMES f:UNIQUERULE s:COLCOUNT s:UNIQUE_COLCOUNT s:IID "
        "i:INDEX_OBJECTID s:SYSTEM_REQUIRED h:INDEXTYPE f:NULLKEYS f:REVERSE_SCANS b:FULLKEYCARD b:NLEAF s:NLEVELS b:INDCARD "
        "t:CREATE_TIME f:MADE_UNIQUE",
        _indexes,
    ),
    ("SYSCAT", "INDEXCOLUSE"): view(
        "v_indexcoluse", "n:INDSCHEMA n:INDNAME n:COLNAME s:COLSEQ f:COLORDER", _index_columns
    ),
    ("SYSCAT", "TABCONST"): view(
        "v_tabconst", "n:CONSTNAME n:TABSCHEMA n:TABNAME n:OWNER f:TYPE f:ENFORCED r:REMARKS", _constraints
    ),
    ("SYSCAT", "KEYCOLUSE"): view(
        "v_keycoluse", "n:CONSTNAME n:TABSCHEMA n:TABNAME n:COLNAME s:COLSEQ", _key_columns
    ),
    ("SYSCAT", "SCHEMATA"): view("v_schemata", "n:SCHEMANAME n:OWNER n:DEFINER", _schemas),
    ("SYSCAT", "ROUTINES"): view(
        "v_routines", "n:ROUTINESCHEMA n:ROUTINENAME f:ROUTINETYPE n:OWNER n:SPECIFICNAME f:DETERMINISTIC", _routines
    ),
}
"""By schema and name."""
