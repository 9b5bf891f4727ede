"""Checks whether a user may read the catalogue, the control tables, the change tables, and for snapshots the tables.

Rights come from grants to the user, to its groups and its roles, so they are tried: by queries without rows, which the server
refuses with -551. One query asks for many tables, and only if it is refused are they divided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.db2.connection import Session, quoted
from tailrace.connectors.db2.errors_of_driver import DeniedError, NoTableError
from tailrace.connectors.db2.setup_sql import Db2Statement, Services
from tailrace.connectors.findings import Finding, Level, listed

Names = tuple[str, str]
AT_ONCE: Final = 8
NEEDED: Final = ("IBMSNAP_REGISTER", "IBMSNAP_UOW", "IBMSNAP_CAPPARMS")
TOLD: Final = ("IBMSNAP_CAPMON", "IBMSNAP_CAPTRACE", "IBMSNAP_PRUNCNTL", "IBMSNAP_PRUNE_SET")
"""What only `tailrace check` and messages are made of."""
_CATALOGUE: Final = tuple(("SYSCAT", name) for name in ("TABLES", "COLUMNS", "INDEXES", "INDEXCOLUSE", "ROUTINES"))
_CATALOGUE_OF_ZOS: Final = tuple(("SYSIBM", name) for name in ("SYSTABLES", "SYSCOLUMNS", "SYSINDEXES", "SYSKEYS"))
_USER: Final = "SELECT USER FROM SYSIBM.SYSDUMMY1"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads.

    Attributes:
        user: as grants name it.
        closed: control tables that the user may not read.

    """

    user: str
    closed: frozenset[str]

    def may_read(self, *tables: str) -> bool:
        """Whether control tables may be read."""
        return self.closed.isdisjoint(tables)

    @property
    def may_capture(self) -> bool:
        """Whether those may be read without which nothing can."""
        return self.may_read(*NEEDED)


def reader(session: Session, services: Services) -> Reader:
    """The session's user."""
    tables = [(services.schema, name) for name in (*NEEDED, *TOLD)]
    return Reader(str(session.one(_USER)).strip(), frozenset(name for _, name in closed(session, tables)))


def catalogue(session: Session, services: Services) -> Finding | None:
    """An error if the catalogue is another platform's, or closed, as it is in a restrictive database; None if it is open."""
    tables = _CATALOGUE_OF_ZOS if services.is_zos else _CATALOGUE
    if absent := [names for names in tables if not _exists(session, names)]:
        what = f"{session.database} has no {_shown(absent)}, by which tables are known"
        return Finding(Level.ERROR, what, "set db2.platform to what the server is: LUW or ZOS")
    hidden = closed(session, tables)
    if not hidden:
        return None
    user = str(session.one(_USER)).strip()
    statements = tuple(services.grant_select(*names, user) for names in hidden)
    return Finding(
        Level.ERROR,
        f"{session.database}: the user {user} may not read {_shown(hidden)}, by which tables are known",
        statements=statements,
    )


def of_control_tables(services: Services, who: Reader) -> Iterator[Finding]:
    """Whether the control tables can be read; without some of them nothing can."""
    needed = [name for name in NEEDED if name in who.closed]
    if needed:
        what = f"{services.database}: the user {who.user} may not read {_named(services, needed)}, by which changes are read"
        yield Finding(Level.ERROR, what, statements=_grants(services, needed, who))
    else:
        yield Finding(
            Level.OK, f"{services.database}: the user {who.user} may read the control tables of {services.schema}"
        )
    if told := [name for name in TOLD if name in who.closed]:
        what = (
            f"{services.database}: the user {who.user} may not read {_named(services, told)}, so less can be told here"
        )
        yield Finding(Level.WARNING, what, statements=_grants(services, told, who))


def of_tables(
    session: Session, services: Services, who: Reader, tables: Sequence[Names], why: str
) -> Iterator[Finding]:
    """An error if tables or change tables are closed; `why`: what they are needed for."""
    if withheld := closed(session, tables):
        what = f"{session.database}: the user {who.user} may not read {_shown(withheld)}, {why}"
        statements = tuple(services.grant_select(*names, who.user) for names in withheld)
        yield Finding(Level.ERROR, what, statements=statements)


def closed(session: Session, tables: Sequence[Names]) -> list[Names]:
    """Those tables that the user may not read; one that does not exist is not among them."""
    found: list[Names] = []
    for at in range(0, len(tables), AT_ONCE):
        found += _closed(session, tables[at : at + AT_ONCE])
    return found


def _exists(session: Session, names: Names) -> bool:
    try:
        session.rows(f"SELECT 1 FROM {quoted(*names)} WHERE 1 = 0")  # noqa: S608 -- quoted
    except DeniedError:
        return True
    except NoTableError:
        return False
    return True


def _closed(session: Session, tables: Sequence[Names]) -> list[Names]:
    sql = " UNION ALL ".join(f"SELECT 1 FROM {quoted(*names)} WHERE 1 = 0" for names in tables)  # noqa: S608 -- quoted
    try:
        session.rows(sql)
    except DeniedError:
        if len(tables) == 1:
            return list(tables)
    except NoTableError:
        if len(tables) == 1:
            return []
    else:
        return []
    middle = len(tables) // 2
    return _closed(session, tables[:middle]) + _closed(session, tables[middle:])


def _grants(services: Services, names: Sequence[str], who: Reader) -> tuple[Db2Statement, ...]:
    return tuple(services.grant_select(services.schema, name, who.user) for name in names)


def _named(services: Services, names: Sequence[str]) -> str:
    return _shown([(services.schema, name) for name in names])


def _shown(tables: Sequence[Names]) -> str:
    return listed([".".join(names) for names in tables])
