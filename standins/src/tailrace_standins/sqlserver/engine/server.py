"""The server: databases, sessions, the writer lock, the log hook.

All databases of a server are in one SQLite file. Statements over several databases are therefore plain joins, and a commit in
several is one commit. A server listens on the loopback only: anybody who knows its password is `sysadmin`, except logins of
CREATE LOGIN.
"""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

from tailrace_standins.sqlserver.engine import access, catalog_file, parsing
from tailrace_standins.sqlserver.engine.availability import AvailabilityGroup, Replica
from tailrace_standins.sqlserver.engine.catalog import Catalog, Database
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.locks import COMPATIBLE, Errors
from tailrace_standins.sqlserver.engine.log import LogHook, Record
from tailrace_standins.sqlserver.engine.metadata import (
    availability_views,
    catalog_views,
    information_schema,
    procedures,
    security_views,
    server_views,
)
from tailrace_standins.sqlserver.engine.session import EngineSession
from tailrace_standins.sqlserver.engine.statement_base import Statement
from tailrace_standins.sqlserver.engine.system import SystemObjects
from tailrace_standins.sqlserver.session import Login
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts
from tailrace_standins.sqlserver.shortcuts.tables.answers import Answers
from tailrace_standins.sqlserver.shortcuts.tables.store import TableStore
from tailrace_standins.sqlserver.values import SqlType
from tailrace_standins.storage.locks import Locks
from tailrace_standins.storage.store import Store

_SYSTEM_DATABASES: Final = ("master", "tempdb", "model", "msdb")
_KEPT_BATCHES: Final = 2000


class Engine:
    """A SQL Server without a wire.

    Attributes:
        catalog, system, locks: the users' objects, the registered system objects, the lock manager.
        store: row versions, transactions, the order of commits.
        columns: large tables as columns of Arrow.
        shortcuts: which queries are recognised and answered from those.
        hooks: get every committed transaction (`log.py`).
        availability: the Always On group that databases of it belong to; `AvailabilityGroup` sets it.
        agent_running: whether SQL Server Agent shows as running; tests stop it.
        zone: that the server's own times are in.

    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        password: str = "Tailrace-1",  # noqa: S107  # a default for tests
        clock: Callable[[], dt.datetime] | None = None,
        shortcuts: Shortcuts | None = None,
    ) -> None:
        """Data in `folder`, or in memory-backed temporary files that `close` removes.

        `clock` gives the time in UTC with a zone. `shortcuts` says which queries are recognised and answered without SQLite;
        None: what the environment says.
        """
        self.shortcuts = shortcuts or Shortcuts.chosen()
        self._owned = None if folder else _temporary_folder()
        self.is_kept = folder is not None
        self.folder = folder or Path(str(self._owned))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / "tailrace-sqlserver.sqlite"
        self.password = password
        self._clock = clock or (lambda: dt.datetime.now(dt.UTC))
        self.zone: dt.tzinfo = dt.UTC
        self.catalog = Catalog()
        self.system = SystemObjects()
        self.locks = Locks(COMPATIBLE, Errors())
        self.hooks: list[LogHook] = []
        self.agent_running = True
        self.availability: AvailabilityGroup | None = None
        self.sessions: dict[int, EngineSession] = {}
        self.store: Store[Record] = Store(
            locks=self.locks,
            sessions=self.sessions,
            hooks=self.hooks,
            now=self.now,
            save=self.save_catalog,
            is_kept=self.is_kept,
        )
        self.identities: dict[int, int] = {}
        self.columns = TableStore(self.shortcuts.least, eager=self.shortcuts is Shortcuts.ALWAYS)
        self.started = self.now()
        self.rowversion = 2000
        self._spids = count(51)
        self._batches: OrderedDict[object, list[Statement]] = OrderedDict()
        self._saved_version = 0
        for part in (availability_views, catalog_views, information_schema, security_views, server_views):
            part.register(self.system)
        procedures.register(self.system)
        if self.shortcuts is not Shortcuts.OFF:
            self.system.answers.append(Answers(self.columns))
        self._open()

    def _open(self) -> None:
        connection = Connection(self.path)
        for statement in catalog_file.LAYOUT:
            connection.execute(statement)
        self._saved = catalog_file.load(self, connection)
        for number, name in enumerate(_SYSTEM_DATABASES, 1):
            if name not in self.catalog.databases:
                self.catalog.databases[name] = Database(number, name, self.now()[:23])
        self.save_catalog(connection)
        connection.raw.close()

    def now(self) -> str:
        """The time of the server's zone, as datetime2(7) is stored."""
        return self.clock_text(self.moment())

    def moment(self) -> dt.datetime:
        """The time, in the server's zone."""
        return self._clock().astimezone(self.zone)

    @staticmethod
    def clock_text(moment: dt.datetime) -> str:
        """What a clock shows, as datetime2(7) is stored."""
        return moment.strftime("%Y-%m-%d %H:%M:%S.%f") + "0"

    def login(self, login: Login, replica: Replica | None = None) -> EngineSession:
        """A new session, through a replica where it is not the engine itself; raises 18456, 4060, 976, 978, 979."""
        made = self.catalog.database("master").principals.logins.get(login.user.lower())
        if not (made.accepts(login.password) if made else login.password == self.password):
            raise error(18456, login.user, state=8)
        name = login.database or (made.database if made else "master")
        database = self.catalog.databases.get(name.lower())
        if database is None or (replica is not None and not replica.has(database)):
            raise error(4060, name)
        if replica is not None:
            replica.admit(database, login)
        session = EngineSession(self, next(self._spids), login, database.name, replica)
        if not access.may_use(session, database):
            session.connection.raw.close()
            raise error(4060, name)
        self.sessions[session.id] = session
        return session

    def internal_session(self, database: str) -> EngineSession:
        """A session for the server's own work (`cdc`); the caller closes it."""
        return self.login(Login("sa", self.password, database, application="tailrace"))

    def create_database(self, name: str) -> Database:
        """Create a database, as CREATE DATABASE does; raises 1801."""
        with self.store.writer:
            if name.lower() in self.catalog.databases:
                raise error(1801, name)
            number = max(database.id for database in self.catalog.databases.values()) + 1
            database = Database(number, name, self.now()[:23])
            self.catalog.databases[name.lower()] = database
            self.catalog.changed()
            connection = Connection(self.path)
            self.save_catalog(connection)
            connection.raw.close()
            return database

    def close(self) -> None:
        """End all sessions, and remove temporary files of this server."""
        for hook in self.hooks:
            hook.close()
        for session in list(self.sessions.values()):
            session.close()
        if self._owned is not None:
            shutil.rmtree(self._owned, ignore_errors=True)

    def parsed(self, sql: str, types: tuple[tuple[str, SqlType], ...]) -> list[Statement]:
        """The statements of a batch, cached with their plans."""
        key = (sql, types)
        found = self._batches.get(key)
        if found is None:
            found = self._batches[key] = parsing.batch(sql)
            if len(self._batches) > _KEPT_BATCHES:
                self._batches.popitem(last=False)
        return found

    def allow(self, record: Record) -> None:
        """Ask the hooks whether DDL or a TRUNCATE may run."""
        for hook in self.hooks:
            hook.allow(record)

    def save_catalog(self, connection: Connection) -> None:
        """Write the catalog down, if it changed since the last time and the files outlive this server."""
        if self._owned is None and self._saved_version != self.catalog.version:
            catalog_file.save(self, connection, self._saved)
            self._saved_version = self.catalog.version


def _temporary_folder() -> Path:
    memory = Path("/dev/shm")  # noqa: S108  # a folder of its own is made inside
    return Path(tempfile.mkdtemp(prefix="tailrace-sqlserver-", dir=memory if memory.is_dir() else None))
