"""Tables of which a SELECT of the user's own says which rows a snapshot reads (`snapshot.select.statement.overrides`).

The statement stands in for the table, within the one that reads a chunk: so rows come in the order of the key, and a snapshot
that was stopped goes on where it was. Which rows it chooses can't be asked of a row image in the log. So no row is delivered
from an image: a row that has changed since P by the time its chunk is read is left to the stream, which tells that change.
`snapshot/waves.py` has the rule.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import TypeVar

from attrs import evolve

from tailrace.config.overrides import SelectOverride
from tailrace.config.settings import Settings
from tailrace.connectors.shared.signalled_sql import Dialect, require_allowed
from tailrace.errors import ConfigError, TailraceError
from tailrace.schema.tables import TableId

_Settings = TypeVar("_Settings", bound=Settings)

log = logging.getLogger(__name__)


def overrides_of(settings: Settings, tables: Iterable[TableId], *, lower_names: bool) -> dict[TableId, SelectOverride]:
    """Those of some tables; with `lower_names` names are the same for the server in either case."""
    found = {table: settings.select_overrides.of(table, lower_names=lower_names) for table in tables}
    return {table: override for table, override in found.items() if override is not None}


def with_signalled(settings: _Settings, statements: Mapping[TableId, str | None], dialect: Dialect) -> _Settings:
    """The settings with the statements that a signal gives for tables, where it gives one, before the configured ones.

    Raises:
        UnsupportedError: one is more than a SELECT, or none is allowed.

    """
    given: dict[TableId, str] = {}
    for table, statement in statements.items():
        require_allowed(settings, statement)
        if statement is not None:
            given[table] = dialect.statement(statement)
    overrides = settings.select_overrides.with_statements(given, "the signal's additional-conditions")
    return evolve(settings, select_overrides=overrides)


def refused(override: SelectOverride, error: TailraceError) -> ConfigError:
    """What to say where rows can't be read by a user's own statement."""
    return ConfigError(f"{override.given_as}: the statement can't be read instead of {override.table}: {error}")


def warn_of_idle(settings: Settings, used: Iterable[SelectOverride]) -> None:
    """Say which statements are for no table that is read."""
    known = list(used)
    for override in settings.select_overrides.given:
        if override not in known:
            log.warning("%s has no effect: the snapshot reads no table %s", override.given_as, override.table)
