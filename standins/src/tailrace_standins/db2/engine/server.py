"""The engine: a database, its sessions, the log's hooks.

It listens on nothing by itself: `db2.server.StandIn` is the wire in front of it.
"""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from tailrace_standins.db2.engine import administration, procedures
from tailrace_standins.db2.engine.catalog import LUW, OWNER, Database
from tailrace_standins.db2.engine.commits import Commits
from tailrace_standins.db2.engine.locks import COMPATIBLE, Errors
from tailrace_standins.db2.engine.log import Record
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.db2.session import Login, Rows, SqlError
from tailrace_standins.db2.shortcuts.answers import Answers
from tailrace_standins.db2.shortcuts.switch import Shortcuts
from tailrace_standins.db2.values import Value
from tailrace_standins.storage.locks import Locks
from tailrace_standins.storage.log import CommitHook
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.store import Store


class Engine:
    """A Db2 database without a wire (`db2.session.Server`). Its data is in a temporary folder that `close` removes.

    Args:
        name: of the database.
        users: names with passwords; those that are there now are administrators, as is the instance's owner.
        clock: gives the time with a zone; None: the machine's.
        zone: that the server's own times are in.
        platform: LUW or ZOS: which catalogue it has.
        shortcuts: which queries are answered by rows that were encoded before; None: as the environment variable says.

    Attributes:
        hooks: get every committed transaction.
        functions: `Database.functions`.
        procedures: `Database.procedures`.
        commits: holds commits back, if a test wants it.
        lock_timeout: of new sessions, in ms; -1 waits without end, as LOCKTIMEOUT does.

    """

    def __init__(
        self,
        name: str = "TESTDB",
        *,
        users: dict[str, str] | None = None,
        clock: Callable[[], dt.datetime] | None = None,
        zone: dt.tzinfo = dt.UTC,
        platform: str = LUW,
        shortcuts: Shortcuts | None = None,
    ) -> None:
        memory = Path("/dev/shm")  # noqa: S108  # a folder of its own is made inside
        self._folder = Path(tempfile.mkdtemp(prefix="tailrace-db2-", dir=memory if memory.is_dir() else None))
        self.path = self._folder / "tailrace-db2.sqlite"
        self.database = Database(name, platform)
        self.users = users if users is not None else {OWNER.lower(): "Tailrace-1"}
        self.database.administrators.update(user.upper() for user in self.users)
        self.zone = zone
        self._clock = clock or (lambda: dt.datetime.now(dt.UTC))
        self.shortcuts = Answers(shortcuts or Shortcuts.chosen())
        self.hooks: list[CommitHook[Record]] = [self.shortcuts]
        self.functions: dict[tuple[str, str], Callable[..., Stored]] = self.database.functions
        self.procedures: dict[tuple[str, str], Callable[..., Any]] = self.database.procedures
        self.procedures["SYSPROC", "ADMIN_CMD"] = administration.command
        self.lock_timeout = -1
        self.commits = Commits()
        self.sessions: dict[int, EngineSession] = {}
        self.store: Store[Record] = Store(
            locks=Locks(COMPATIBLE, Errors()), sessions=self.sessions, hooks=self.hooks, now=self.now, save=lambda _: None,
            is_kept=False
        )  # fmt: skip
        self._numbers = count(7)

    def now(self) -> str:
        """The server's local time, as TIMESTAMP(6) is stored."""
        return self._clock().astimezone(self.zone).strftime("%Y-%m-%d %H:%M:%S.%f")

    def timezone(self) -> str:
        """CURRENT TIMEZONE: hours, minutes and seconds as one number."""
        offset = self._clock().astimezone(self.zone).utcoffset() or dt.timedelta()
        seconds = int(abs(offset).total_seconds())
        sign = "-" if offset < dt.timedelta() else ""
        return f"{sign}{seconds // 3600 * 10000 + seconds // 60 % 60 * 100 + seconds % 60}"

    def authenticates(self, user: str, password: str) -> bool:
        """Whether the password is the user's; names of users have no case."""
        return self.users.get(user.lower()) == password

    def open(self, login: Login) -> EngineSession | None:
        """A session; None for another database."""
        if login.database.upper() != self.database.name:
            return None
        session = EngineSession(self, next(self._numbers), login, self.database)
        self.sessions[session.id] = session
        return session

    def session(self, user: str = "db2inst1") -> EngineSession:
        """A session of the server's own, which the caller closes."""
        made = self.open(Login(user, self.database.name, "own"))
        assert made is not None  # noqa: S101  # it is this database
        return made

    def procedure(self, session: EngineSession, names: tuple[str, ...], arguments: Sequence[Stored]) -> None:
        """CALL; raises `SqlError` -440."""
        schema, name = names if len(names) == 2 else (session.schema, names[-1])
        found = self.procedures.get((schema, name))
        if found is None:
            raise SqlError(-440, "42884", ".".join(names), "PROCEDURE")
        found(session, *arguments)

    def result_sets(self, session: EngineSession, name: str, parameters: Sequence[Value]) -> Sequence[Rows]:
        """A procedure of the catalogue, as drivers call them; raises `SqlError` -440."""
        return procedures.called(session, name, parameters)

    def close(self) -> None:
        """End all sessions and remove the data."""
        self.commits.release()
        for session in list(self.sessions.values()):
            session.close()
        shutil.rmtree(self._folder, ignore_errors=True)
