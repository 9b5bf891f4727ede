"""Tables of which a SELECT of the user's own says which rows a snapshot reads (`snapshot.select.statement.overrides`).

The statement stands in for the table, within the one that reads a chunk: so rows come in the order of the key, whatever
its own ORDER BY says, and a snapshot that was stopped goes on where it was. Which rows it chooses can't be asked of a
row image in the log. So no row is delivered from an image: a row that has changed since P by the time its chunk is read
is left to the stream, which tells that change. `waves` has the rule.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from tailrace.config.overrides import LIST, SelectOverride
from tailrace.config.settings import Settings
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, mappings, translated
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, NoKey
from tailrace.errors import ConfigError, RetriableError, TailraceError
from tailrace.schema.tables import TableId

Overrides = Mapping[TableId, SelectOverride]

log = logging.getLogger(__name__)


def overrides_of(settings: Settings, server: Server, tables: Iterable[TableId]) -> dict[TableId, SelectOverride]:
    """Those of some tables."""
    found = {table: settings.select_overrides.of(table, lower_names=server.lower_names) for table in tables}
    return {table: override for table, override in found.items() if override is not None}


def with_signalled(settings: Settings, statements: Mapping[TableId, str | None]) -> Settings:
    """The settings with the statements that a signal gives for tables, where it gives one, before the configured ones."""
    given = {table: statement for table, statement in statements.items() if statement is not None}
    overrides = settings.select_overrides.with_statements(given, "the signal's additional-conditions")
    return evolve(settings, select_overrides=overrides)


def checked(
    connection: Connection, server: Server, settings: Settings, keys: Mapping[TableId, ChunkKey | NoKey]
) -> None:
    """Look at the statements for these tables before a snapshot begins, and warn of those that are for no table.

    Raises:
        ConfigError: the server refuses a statement, or its rows lack columns of the table.

    """
    overrides = overrides_of(settings, server, keys)
    for table, override in overrides.items():
        key = keys[table]
        _check(connection, settings, table, override, key.names if isinstance(key, ChunkKey) else ())
    for override in settings.select_overrides.given:
        if override not in overrides.values():
            log.warning("%s has no effect: the snapshot reads no table %s", override.given_as, override.table)


def refused(override: SelectOverride, error: TailraceError) -> ConfigError:
    """What to say where rows can't be read by a user's own statement."""
    return ConfigError(f"{override.given_as}: the statement can't be read instead of {override.table}: {error}")


def _check(
    connection: Connection, settings: Settings, table: TableId, override: SelectOverride, key: Sequence[str]
) -> None:
    given = _columns(connection, table, override)
    wanted = [
        name
        for name in _columns_of_table(connection, table)
        if settings.columns.matches(table.catalog, table.name, name) or name in key
    ]
    missing = [name for name in wanted if name.lower() not in given]
    if missing:
        raise ConfigError(
            f"{override.given_as}: its rows lack the columns {', '.join(missing)} of {table}: select all columns (*), or take "
            f"the table out of {LIST}"
        )


def _columns(connection: Connection, table: TableId, override: SelectOverride) -> set[str]:
    """The names of what a statement gives, in lower case; none of its rows is read."""
    sql = f"{statements.whole(table, ['*'], override.statement)} LIMIT 0"
    try:
        with translated("asking for its columns"), connection.cursor() as cursor:
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
