"""Checks whether the included tables are captured: registered, active, logged whole, and with both images of an update.

Source: IBM Db2 documentation, "Registering tables as replication sources", "IBMSNAP_REGISTER table"
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from tailrace.connectors.db2.catalog import name_in_database
from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.checking.registrations import ACTIVE, INACTIVE, Registration
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.setup_sql import Services
from tailrace.connectors.findings import Finding, Level, listed
from tailrace.schema.tables import TableId

Registrations = Mapping[TableId, Registration]
_BY_HAND: Final = "register it with asnclp (CREATE REGISTRATION) or the tool with which the others were"


def findings(
    settings: Db2Settings,
    services: Services,
    tables: Sequence[TableId],
    registered: Registrations,
    with_old: Collection[TableId],
) -> Iterator[Finding]:
    """The findings about the included tables.

    Args:
        settings: with the lists that include them.
        services: how SQL Replication is operated.
        tables: the included ones.
        registered: all registrations of the database.
        with_old: those whose change tables have columns for all values before an update.

    """
    wanted = [registered[table] for table in tables if table in registered]
    yield _captured(services, wanted)
    missing = [table for table in tables if table not in registered]
    yield from _without_registration(settings, services, missing, registered)
    for each in wanted:
        yield from _of_table(services, each)
    yield from _without_old_rows(services, [each for each in wanted if not each.has_pairs and each.table not in with_old])


def _captured(services: Services, wanted: Sequence[Registration]) -> Finding:
    active = [each for each in wanted if each.state == ACTIVE]
    if active:
        return Finding(Level.OK, f"{services.database}: {len(active)} tables are captured")
    mend = "see table.include.list, schema.include.list and cdc.control.schema"
    return Finding(Level.WARNING, f"{services.database}: no table that is captured now is wanted", mend)


def _without_registration(
    settings: Db2Settings, services: Services, tables: Sequence[TableId], registered: Registrations
) -> Iterator[Finding]:
    """Tables without a registration: only if a list includes them is it certain that they should have one."""
    if not tables:
        return
    what = f"{services.database}: the changes of {_listed(tables)} are not captured"
    taken = {each.change_table for each in registered.values()}
    statements = [statement for table in tables for statement in services.register(table, taken)]
    if not statements:
        yield Finding(Level.WARNING, what, _BY_HAND)
    elif settings.table_include_list:
        yield Finding(Level.WARNING, what, services.told("reinit"), tuple(statements))
    else:
        first = "; ".join(each.sql for each in services.register(tables[0], taken))
        mend = f"where that is wanted, for each: {first}; else name the tables that are, in table.include.list"
        yield Finding(Level.WARNING, what, mend)


def _of_table(services: Services, found: Registration) -> Iterator[Finding]:
    name_ = name_in_database(found.table)
    if not found.is_there:
        what = f"{name_}: its change table {found.owner}.{found.change_table} is not there, so nothing of it is read"
        yield Finding(Level.ERROR, what, "take the registration back (REMOVETABLE) and register the table anew")
        return
    if not found.is_logged:
        what = f"{name_} has no DATA CAPTURE CHANGES, without which the log lacks what is captured"
        yield Finding(Level.ERROR, what, statements=(services.capture(found.table),))
    if found.state == INACTIVE:
        what = f"{name_} is registered, but inactive: its changes are not captured"
        yield Finding(Level.WARNING, what, services.told("reinit"), services.activate(found.table))
    elif found.state != ACTIVE:
        yield _stopped(services, found)


def _stopped(services: Services, found: Registration) -> Finding:
    told = f" (message {found.told})" if found.told else ""
    what = f"{name_in_database(found.table)}: the Capture program stopped capturing it because of an error{told}"
    mend = f"see its messages, mend the cause, then let it begin again{_then(services.told('reinit'))}"
    return Finding(Level.ERROR, what, mend, services.activate(found.table))


def _without_old_rows(services: Services, found: Sequence[Registration]) -> Iterator[Finding]:
    """Updates with the new row alone, as z/OS has them."""
    if not found:
        return
    what = (
        f"{services.database}: updates are captured with the new row alone (CHG_UPD_TO_DEL_INS is not 'Y', and not every "
        "column has its value before, BEFORE_IMG_PREFIX), so `before` is null and a changed key leaves the old one behind: "
        f"{_listed([each.table for each in found])}"
    )
    if services.is_zos:
        yield Finding(Level.OK, what)
        return
    statements = [statement for each in found for statement in services.with_deletes(each.table)]
    yield Finding(Level.WARNING, what, services.told("reinit"), tuple(dict.fromkeys(statements)))


def subscribed(session: Session, services: Services, tables: Sequence[TableId]) -> Iterator[Finding]:
    """A warning about tables that Apply has too: what all subscriptions have is pruned, however young it is."""
    control, sets = services.control("IBMSNAP_PRUNCNTL"), services.control("IBMSNAP_PRUNE_SET")
    asked = ("c.SOURCE_OWNER", 128), ("c.SOURCE_TABLE", 128), ("c.APPLY_QUAL", 18), ("c.SET_NAME", 18)
    rows = session.rows(
        f"SELECT {', '.join(name(*each, is_zos=services.is_zos) for each in asked)}, "  # noqa: S608
        f"HEX(s.SYNCHPOINT) FROM {control} c JOIN {sets} s ON s.TARGET_SERVER = c.TARGET_SERVER AND "
        "s.APPLY_QUAL = c.APPLY_QUAL AND s.SET_NAME = c.SET_NAME ORDER BY c.APPLY_QUAL, c.SET_NAME"
    )
    begun = (row for row in rows if row[4].strip("0"))
    for (qualifier, set_), found in groupby(begun, lambda row: (row[2].strip(), row[3].strip())):
        names = {TableId(session.database, owner.rstrip(" "), table) for owner, table, *_ in found}
        if wanted := sorted(names.intersection(tables)):
            what = (
                f"{session.database}: the subscription set {qualifier}/{set_} has {_listed(wanted)} too: what it has "
                "applied is pruned, however young it is, and whether it was read here or not"
            )
            mend = "keep reading without long pauses; or set AUTOPRUNE = 'N' and prune at times of your own"
            yield Finding(Level.WARNING, what, mend)


def change_tables(registered: Registrations, tables: Sequence[TableId]) -> list[tuple[str, str]]:
    """The change tables of included tables."""
    found = (registered[table] for table in tables if table in registered)
    return [(each.owner, each.change_table) for each in found if each.is_there]


def _then(text: str) -> str:
    return f", and {text}" if text else ""


def _listed(tables: Sequence[TableId]) -> str:
    return listed([name_in_database(table) for table in tables])
