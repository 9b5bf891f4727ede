"""Sections of the log that are read beside a snapshot: the changes of one database's tables in a range of LSNs."""

from __future__ import annotations

from typing import Any, Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.databases import SourceDatabase
from tailrace.connectors.change_tables.snapshots.touched_rows import touches
from tailrace.connectors.change_tables.windows import Window
from tailrace.errors import SourceSetupError
from tailrace.snapshot.first_changes import TableTouches

SECTION_TRANSACTIONS: Final = 20_000


def next_section(database: SourceDatabase[Any], head: Lsn) -> list[TableTouches]:
    """The next section up to a head, or a part of it; the database is read up to its end afterwards.

    Raises:
        PositionLostError: the changes of a table are no longer retained from P on.

    """
    window = Window(database.reached, _end(database, head))
    try:
        found = _touched(database, window)
    except SourceSetupError:
        if not database.tables.have_changed():
            raise
        found = _touched(database, window)  # without the dropped ones, which `Tables.altered` reports
    # After reading: rows that the clean-up removed meanwhile may be missing from what was read.
    database.tables.require_log()
    database.reached = window.until
    return found


def _touched(database: SourceDatabase[Any], window: Window) -> list[TableTouches]:
    """The changes of the tables in a window."""
    read = [each for table in database.tables if (each := database.tables.of(table)) is not None]
    has = database.has_rows([each.instance for each in read], window)
    found = (
        touches(each, database.changes(each, window)) for each, is_there in zip(read, has, strict=True) if is_there
    )
    return [each for each in found if each is not None]


def _end(database: SourceDatabase[Any], head: Lsn) -> Lsn:
    """The end of the next section: the head, or an earlier commit if that is far away."""
    cut = database.nth_entry(Window(database.reached, head), SECTION_TRANSACTIONS)
    return head if cut is None or database.nth_entry(Window(cut, head), 1) is None else cut
