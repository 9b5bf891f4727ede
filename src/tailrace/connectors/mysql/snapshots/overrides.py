"""The user's statements that replace tables (`shared/snapshots/overrides.py`), checked before a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tailrace.config.overrides import LIST, SelectOverride
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, mappings, read_only, translated
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.overrides import overrides_of, refused, warn_of_idle
from tailrace.errors import ConfigError, RetriableError, TailraceError
from tailrace.schema.tables import TableId


def of_tables(settings: MySqlSettings, server: Server, tables: Iterable[TableId]) -> dict[TableId, SelectOverride]:
    """The overrides of these tables."""
    return overrides_of(settings, tables, lower_names=server.lower_names)


def checked(
    connection: Connection, server: Server, settings: MySqlSettings, keys: Mapping[TableId, ChunkKey | NoKey]
) -> None:
    """Check the statements for these tables before a snapshot begins, and warn of those for other tables.

    The connection is prepared by `statements.prepare`.

    Raises:
        ConfigError: the server refuses a statement, or its rows lack columns of the table.

    """
    overrides = of_tables(settings, server, keys)
    for table, override in overrides.items():
        key = keys[table]
        _check(connection, settings, table, override, key.names if isinstance(key, ChunkKey) else ())
    warn_of_idle(settings, overrides.values())


def _check(
    connection: Connection, settings: MySqlSettings, table: TableId, override: SelectOverride, key: Sequence[str]
) -> None:
    given = _columns(connection, table, override)
    # Excluded columns are not selected, except those of the key.
    wanted = [
        name for name in _columns_of_table(connection, table) if settings.columns.matches(table, name) or name in key
    ]
    missing = [name for name in wanted if name.lower() not in given]
    if missing:
        raise ConfigError(
            f"{override.given_as}: its rows lack the columns {', '.join(missing)} of {table}: select all columns (*), or take "
            f"the table out of {LIST}"
        )


def _columns(connection: Connection, table: TableId, override: SelectOverride) -> set[str]:
    """The names of a statement's columns, in lower case; no row is read."""
    sql = f"{statements.whole(table, ['*'], override.statement)} LIMIT 0"
    try:
        with read_only(connection), translated("asking for its columns"), connection.cursor() as cursor:
            cursor.execute(sql)
            return {str(column[0]).lower() for column in cursor.description or ()}
    except RetriableError:
        raise
    except TailraceError as error:
        raise refused(override, error) from error


def _columns_of_table(connection: Connection, table: TableId) -> list[str]:
    sql = (
        "SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s"
        " ORDER BY ORDINAL_POSITION"
    )
    return [row["name"] for row in mappings(connection, sql, table.catalog, table.name)]
