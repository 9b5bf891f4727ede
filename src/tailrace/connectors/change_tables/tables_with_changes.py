"""The change tables with rows in a window: a cheap query, as most of many tables have none."""

from __future__ import annotations

import logging

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.windows import Window
from tailrace.errors import SourceSetupError

log = logging.getLogger(__name__)


def tables_with_rows(dialect: Dialect[Session], session: Session, window: Window) -> tuple[str, ...] | None:
    """The wanted tables with rows in a window, by their names in the database; None if that can't be determined."""
    wanted = [
        each
        for each in dialect.instances(session)
        if each.has_begun(window.until) and dialect.settings.tables.matches(each.table)
    ]
    try:
        has = dialect.has_rows(session, wanted, window)
    except SourceSetupError as error:  # an instance was dropped since it was listed
        log.info("which tables have changes up to %s is not known: %s", window.until, error)
        return None
    found = {dialect.name_in_database(each.table) for each, some in zip(wanted, has, strict=True) if some}
    return tuple(sorted(found))
