"""The registrations of SQL Replication as capture instances: IBMSNAP_REGISTER with the columns of the CD tables.

A registration has its changes from its activation on, which the register does not tell: CD_NEW_SYNCHPOINT moves on with each
row. So an instance's start LSN is zero once it has begun. What it lacks shows otherwise: its CD table is another one than was
read before (`begun_by`), or rows are pruned (`transaction_log.py`). A CD table may be altered, which its columns tell
(`Instance.version`).

Source: IBM Db2 documentation, "IBMSNAP_REGISTER table", "Structure of the CD table" (SQL Replication)
"""

from __future__ import annotations

import hashlib
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.change_tables.instances import VERSION, Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2.catalog_sql import LUW, ZOS, CatalogSql, name
from tailrace.connectors.db2.connection import Session, literal, quoted
from tailrace.connectors.db2.lsn import form_of, lsn_of
from tailrace.connectors.db2.server_times import utc_us
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.structures import column_of
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import Column, TableId

UTF_8: Final = 1208
ACTIVE: Final = "A"
_ASKED_AT_ONCE: Final = 100  # tables in a statement
FIXED: Final = 3
"""The columns that every CD table begins with: IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ, IBMSNAP_OPERATION."""


def sql_of(settings: Db2Settings) -> CatalogSql:
    """The statements of the configured platform."""
    return ZOS if settings.is_zos else LUW


def control(settings: Db2Settings, table: str) -> str:
    """A control table in SQL: `"ASNCDC".IBMSNAP_UOW`."""
    return f"{quoted(settings.control_schema)}.{table}"


def asked(settings: Db2Settings, sql: str) -> str:
    """A statement of `CatalogSql` for the configured schema of the control tables."""
    return sql.replace("{0}", quoted(settings.control_schema)).replace("{1}", literal(settings.control_schema))


def require_captured(session: Session, settings: Db2Settings) -> str:
    """Require that SQL Replication is set up in the session's database; returns the database's name.

    Raises:
        SourceSetupError: there are no control tables, or text is stored in another code page than UTF-8.

    """
    found = session.one(asked(settings, sql_of(settings).code_page))
    if found is None:
        raise SourceSetupError(
            f"{session.database} has no table {settings.control_schema}.IBMSNAP_REGISTER: SQL Replication is not set up there, "
            "or has its control tables in another schema (cdc.control.schema), or the user may not see them"
        )
    if int(found) != UTF_8:
        raise SourceSetupError(
            f"{session.database} has the code page {found}, and only Unicode databases are read (CREATE DATABASE ... USING "
            "CODESET UTF-8): text would be misread"
        )
    return session.database


def instances(session: Session, settings: Db2Settings) -> list[Instance]:
    """The registrations by table; the start LSN is None as long as the Capture program has not begun with it."""
    columns = _change_columns(session, settings)
    found = [_instance(session.database, row, columns, settings) for row in _registered(session, settings)]
    return sorted(found, key=lambda each: (each.table, each.order))


def stamp(session: Session, settings: Db2Settings) -> object:
    """A value that changes with registrations, their states, and the columns of their tables."""
    return session.rows(asked(settings, sql_of(settings).stamp))


def index_stamp(session: Session, settings: Db2Settings) -> object:
    """A value that changes when a unique index of a registered table is made."""
    return session.rows(asked(settings, sql_of(settings).index_stamp))


def altered_since_registered(session: Session, settings: Db2Settings) -> frozenset[int]:
    """The object ids of CD tables whose source table was altered since they were made."""
    return frozenset(
        _object_id(cd_owner, cd_table, made)
        for _, _, cd_owner, cd_table, _, _, _, made, altered, _ in _registered(session, settings)
        if altered is not None and altered > made
    )


def other_types(session: Session, settings: Db2Settings) -> Mapping[int, Types]:
    """The columns of CD tables, by object id, that have another type than in the source table."""
    made = {(owner, table): at for _, _, owner, table, *_, at, _, _ in _registered(session, settings)}
    found: defaultdict[int, dict[str, Column]] = defaultdict(dict)
    for owner, table, *row in session.rows(asked(settings, sql_of(settings).other_types)):
        column, names = column_of(row), (owner.rstrip(" "), table)
        if names in made:  # else it was registered in between, and `stamp` will tell
            found[_object_id(*names, made[names])][column.name] = column
    return found


def begun_by(session: Session, settings: Db2Settings, instance: Instance) -> Lsn | None:
    """The LSN at which a registration has begun at the latest: its oldest row, or CD_NEW_SYNCHPOINT if it has none."""
    form, raw = form_of(settings), session.raw_rows(f"SELECT MIN(IBMSNAP_COMMITSEQ) FROM {instance.change_table}")[0][0]  # noqa: S608 -- quoted
    if raw is None:
        table = instance.table
        synchpoint = session.raw_rows(
            f"SELECT CD_NEW_SYNCHPOINT FROM {control(settings, 'IBMSNAP_REGISTER')} WHERE SOURCE_OWNER = "  # noqa: S608 -- quoted
            f"{literal(table.schema)} AND SOURCE_TABLE = {literal(table.name)}"
        )
        raw = synchpoint[0][0] if synchpoint else None
    return None if raw is None else lsn_of(raw, form)


def capture_began_us(session: Session, settings: Db2Settings, offset_minutes: int) -> int:
    """When IBMSNAP_UOW was made, microseconds since the epoch; `offset_minutes`: how far the server is ahead of UTC."""
    return utc_us(session.one(asked(settings, sql_of(settings).made)), offset_minutes)


def activated(session: Session, settings: Db2Settings, window: Window) -> list[TableId]:
    """The tables that were activated within a window, and have no row at their CD_NEW_SYNCHPOINT."""
    names = (name(each, is_zos=settings.is_zos) for each in ("SOURCE_OWNER", "SOURCE_TABLE", "CD_OWNER", "CD_TABLE"))
    rows = session.raw_rows(
        f"SELECT {', '.join(names)}, CD_NEW_SYNCHPOINT "  # noqa: S608
        f"FROM {control(settings, 'IBMSNAP_REGISTER')} WHERE SOURCE_OWNER <> '' AND CD_NEW_SYNCHPOINT > ? "
        "AND CD_NEW_SYNCHPOINT <= ?", window.after.raw, window.until.raw,
    )  # fmt: skip
    found = []
    for first in range(0, len(rows), _ASKED_AT_ONCE):
        some = rows[first : first + _ASKED_AT_ONCE]
        questions = (
            f"(SELECT {number} FROM {quoted(_text(row[2]), _text(row[3]))} WHERE IBMSNAP_COMMITSEQ = X'{row[4].hex()}' "  # noqa: S608
            "FETCH FIRST 1 ROW ONLY)"
            for number, row in enumerate(some)
        )
        there = {int(number) for (number,) in session.rows(" UNION ALL ".join(questions))}
        found += [row for number, row in enumerate(some) if number not in there]
    return [TableId(session.database, _text(row[0]), _text(row[1])) for row in found]


def name_in_database(table: TableId) -> str:
    """`SCHEMA.TABLE`, in double quotes if a name contains a dot."""
    return quoted(table.schema, table.name) if "." in table.schema + table.name else f"{table.schema}.{table.name}"


def _registered(session: Session, settings: Db2Settings) -> list[tuple[Any, ...]]:
    """Rows of the register: names as text, the synchpoint as bytes."""
    rows = session.raw_rows(asked(settings, sql_of(settings).register))
    return [(*(_text(each) for each in row[:4]), row[4], *(_text(each) for each in row[5:7]), *row[7:]) for row in rows]


def _change_columns(session: Session, settings: Db2Settings) -> dict[tuple[str, str], list[str]]:
    """The columns of each CD table that come from its source."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for owner, table, column in session.rows(asked(settings, sql_of(settings).change_columns)):
        found[owner.rstrip(" "), table].append(column)
    return {names: columns[FIXED:] for names, columns in found.items()}


def _instance(
    database: str, row: Sequence[Any], columns: Mapping[tuple[str, str], list[str]], settings: Db2Settings
) -> Instance:
    owner, table, cd_owner, cd_table, synchpoint, state, prefix, made, _, source_made = row
    names = tuple(columns.get((cd_owner, cd_table), ()))
    return Instance(
        TableId(database, owner, table),
        f"{cd_owner}.{cd_table}",
        _object_id(cd_owner, cd_table, made),
        0,
        quoted(cd_owner, cd_table),
        None if synchpoint is None else form_of(settings).zero,
        made,
        names,
        (),
        version=VERSION + hashlib.sha256("\0".join(names).encode()).hexdigest()[:8],
        inactive="" if state == ACTIVE else f"STATE {state}",
        before_prefix=prefix,
        source_made=source_made,
    )


def _object_id(owner: str, table: str, made: datetime) -> int:
    """A number that no other CD table has, nor one that gets its name later."""
    return utc_us(made, 0) << 32 | zlib.crc32(f"{owner}.{table}".encode())


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode().rstrip(" ")
