"""What the connectors have in common of rows that are read again (`post_processors`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tailrace.config.settings import Settings
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.post_processors.reselecting import PLACEHOLDER, Reselecting, SelectsRows


def number_of(conditions: Sequence[str]) -> str:
    """SQL that tells the number of the first condition that a row fulfils."""
    return f"CASE {' '.join(f'WHEN {each} THEN {number}' for number, each in enumerate(conditions))} END"


def reselecting_of(settings: Settings, source: Callable[[], SelectsRows]) -> tuple[Reselecting, ...]:
    """The post processors of a configuration; `source` makes what selects rows for each."""
    placeholder = getattr(settings, "unavailable_value_placeholder", PLACEHOLDER)
    signals = frozenset(signal_tables_of(settings)) if settings.reselections else frozenset()
    return tuple(Reselecting(each, source(), placeholder, signals) for each in settings.reselections)
