"""One database's log while it is read: its sessions, its clock, and whether changes are captured."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver import catalog, transactions
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.errors_of_driver import NoDatabaseError
from tailrace.connectors.sqlserver.local_times import LocalTimes, warn_of_other_offset
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import RetriableError
from tailrace.schema.tables import TableId

QUIET_SECONDS: Final = 60.0  # without anything captured, before the status of the Agent is checked

log = logging.getLogger(__name__)


class TransactionLog:
    """A `Log` of SQL Server."""

    def __init__(self, settings: SqlServerSettings, database: str, offset_minutes: int | None) -> None:
        """The log of a database; `offset_minutes`: how far the server's clock is ahead of UTC, if a plan fixes it."""
        self._settings = settings
        self._database = database
        self._zone = settings.server_zone
        self._times = LocalTimes(self._zone)
        self._given_offset = offset_minutes
        self._quiet_since = time.monotonic()
        self._warned_of_agent = False

    @property
    def most_transactions(self) -> int | None:
        """`max.iteration.transactions`, only if the user set it: Debezium's default would make small windows."""
        given = self._settings.is_given("max.iteration.transactions")
        most = self._settings.max_iteration_transactions
        return most if given and most > 0 else None

    def connect(self) -> Session:
        """A session in the database; a missing one may be in recovery after a restart, so that error is retriable."""
        try:
            return connect(self._settings, self._database)
        except NoDatabaseError as error:
            raise RetriableError(str(error)) from error

    def head(self, session: Session) -> Lsn:
        """How far it is captured, by a clock that is looked at in the same moment."""
        head = transactions.head(session)
        if self._zone is not None:
            warn_of_other_offset(self._zone, str(self._settings.database_server_timezone), head.offset_minutes)
        self._times.offset_minutes = head.offset_minutes if self._given_offset is None else self._given_offset
        return head.lsn

    def transactions(self, session: Session, window: Window, at_most: int) -> Transactions:
        """The transactions of a window, from `cdc.lsn_time_mapping`."""
        self._quiet_since = time.monotonic()
        return transactions.transactions(session, window, at_most, self._times, ends=self._settings.uses_commit_time)

    as_of_us = None  # instances tell what was cleaned up

    def is_kept(self, session: Session, after: Lsn, as_of_us: int | None) -> bool:  # noqa: ARG002
        """True: what the clean-up took shows in the start LSNs of the instances."""
        return True

    def begun_anew(self, session: Session, window: Window) -> Sequence[TableId]:  # noqa: ARG002
        """None: an instance that capture begins with anew is another one."""
        return ()

    def look_why_quiet(self, session: Session, head: Lsn) -> None:
        """Warn if nothing was captured for a while, or ever, and SQL Server Agent does not run."""
        is_due = head.is_zero or time.monotonic() - self._quiet_since > QUIET_SECONDS
        if not is_due or self._warned_of_agent:
            return
        self._quiet_since = time.monotonic()
        self._warned_of_agent = True
        if catalog.agent_is_running(session, self._settings.database_sqlserver_agent_status_query) is False:
            log.warning(
                "nothing of the database %s is captured: SQL Server Agent, which runs the capture job, does not run. Start it "
                "(systemctl, SQL Server Configuration Manager, or MSSQL_AGENT_ENABLED=true in a container)", self._database,
            )  # fmt: skip
