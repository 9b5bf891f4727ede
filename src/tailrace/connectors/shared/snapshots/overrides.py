"""Tables whose rows a SELECT statement of the user selects (`snapshot.select.statement.overrides`).

The statement replaces the table, as a subquery, in the statement that reads a chunk. So rows come in key order, and an
interrupted snapshot can be resumed. A row image in the log does not show whether the statement would select the row. So
no row is delivered from an image: a row that changes between P and the time its chunk is read is left to the stream,
which delivers that change. `snapshot/waves.py` has the rule.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import TypeVar

from attrs import evolve

from tailrace.config.overrides import SelectOverride
from tailrace.config.settings import Settings
from tailrace.connectors.shared.signal_sql import Dialect, require_allowed
from tailrace.errors import ConfigError, TailraceError
from tailrace.schema.tables import TableId

_Settings = TypeVar("_Settings", bound=Settings)

log = logging.getLogger(__name__)


def overrides_of(settings: Settings, tables: Iterable[TableId], *, lower_names: bool) -> dict[TableId, SelectOverride]:
    """The overrides of these tables; `lower_names`: the server compares names without regard to case."""
    found = {table: settings.select_overrides.of(table, lower_names=lower_names) for table in tables}
    return {table: override for table, override in found.items() if override is not None}


def with_statements_of_signal(
    settings: _Settings, statements: Mapping[TableId, str | None], dialect: Dialect
) -> _Settings:
    """The settings with a signal's statements for tables; they take precedence over the configured ones.

    Raises:
        UnsupportedError: one is not a single SELECT, or the configuration allows none.

    """
    given: dict[TableId, str] = {}
    for table, statement in statements.items():
        require_allowed(settings, statement)
        if statement is not None:
            given[table] = dialect.statement(statement)
    overrides = settings.select_overrides.with_statements(given, "the signal's additional-conditions")
    return evolve(settings, select_overrides=overrides)


def refused(override: SelectOverride, error: TailraceError) -> ConfigError:
    """The error for a user's statement that can't be executed."""
    return ConfigError(f"{override.given_as}: the statement can't be read instead of {override.table}: {error}")


def warn_of_idle(settings: Settings, used: Iterable[SelectOverride]) -> None:
    """Warn about statements for tables that the snapshot does not read."""
    known = list(used)
    for override in settings.select_overrides.given:
        if override not in known:
            log.warning("%s has no effect: the snapshot reads no table %s", override.given_as, override.table)
