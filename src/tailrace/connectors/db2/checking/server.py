"""What the server is, and whether its log is kept long enough for the Capture program to read it.

Sources: IBM Db2 documentation, "ENV_INST_INFO administrative view", "DBCFG administrative view", "logarchmeth1 configuration
parameter"; of z/OS "GETVARIABLE"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tailrace.connectors.db2 import catalog
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.setup_sql import Services
from tailrace.connectors.findings import Finding, Level
from tailrace.errors import SourceSetupError

_VERSION: Final = "SELECT SERVICE_LEVEL FROM SYSIBMADM.ENV_INST_INFO"
_VERSION_OF_ZOS: Final = "SELECT GETVARIABLE('SYSIBM.VERSION') FROM SYSIBM.SYSDUMMY1"
_LOG_ARCHIVES: Final = "SELECT VALUE FROM SYSIBMADM.DBCFG WHERE NAME IN ('logarchmeth1', 'logarchmeth2')"
_OFF: Final = frozenset({"", "OFF"})


def found(session: Session, settings: Db2Settings) -> Finding:
    """Which server and database were reached, and how."""
    encrypted = "with TLS" if settings.driver_sslconnection else "without TLS"
    return Finding(
        Level.OK,
        f"{_version(session, settings)} at {settings.database_hostname}, {encrypted}, its database {session.database}",
    )


def control_tables(session: Session, settings: Db2Settings) -> Finding | None:
    """An error if the database can't be read at all: no control tables, or text in another code page; None if it can."""
    try:
        catalog.require_captured(session, settings)
    except SourceSetupError as error:
        mend = (
            "make the control tables with asnclp (CREATE CONTROL TABLES FOR CAPTURE SERVER) or asncdctables.sql of Debezium's "
            "guide; for text in another code page move the data into a database of UTF-8"
        )
        return Finding(Level.ERROR, str(error), mend)
    return None


def log_archive(session: Session, services: Services) -> Iterator[Finding]:
    """An error if the log is circular: the Capture program can't read such a log."""
    if services.is_zos:
        return
    try:
        methods = [str(value or "").strip().upper() for (value,) in session.rows(_LOG_ARCHIVES)]
    except SourceSetupError:
        mend = "GRANT SELECT ON SYSIBMADM.DBCFG, or look with a user that may: db2 GET DB CFG"
        yield Finding(Level.OK, f"{session.database}: whether the log is archived (LOGARCHMETH1) can't be seen", mend)
        return
    kept = [method for method in methods if method not in _OFF]
    if kept:
        yield Finding(Level.OK, f"{session.database}: the log is archived ({', '.join(kept)})")
        return
    name = session.database
    mend = f"db2 UPDATE DB CFG FOR {name} USING LOGARCHMETH1 LOGRETAIN, then db2 BACKUP DB {name}, which Db2 asks for"
    yield Finding(
        Level.ERROR, f"{name}: the log is circular (LOGARCHMETH1 is OFF), and the Capture program can't read it", mend
    )


def _version(session: Session, settings: Db2Settings) -> str:
    """The server's words for its version."""
    try:
        version = session.one(_VERSION_OF_ZOS if settings.is_zos else _VERSION)
    except SourceSetupError:  # its view is closed to this user
        version = None
    shown = "" if version is None else f" ({str(version).strip()})"
    return f"Db2{' for z/OS' if settings.is_zos else ''}{shown}"
