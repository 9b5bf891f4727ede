"""`python -m tailrace_standins.servers.db2_control PASSWORD SHORTCUTS`: a Db2 stand-in controlled through its standard input.

It first prints its port. Each input line is a JSON list of a command, a database and the command's arguments. Each is answered
by one line: `done` and the result as JSON, or `failed` and the reason. The process ends at the end of its input.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from tailrace_standins.db2 import bulk
from tailrace_standins.db2.asn.backups import Backup
from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.server import StandIn
from tailrace_standins.db2.session import Login, Session
from tailrace_standins.db2.shortcuts.switch import Shortcuts
from tailrace_standins.servers.db2_server import DONE, FAILED, USER

if TYPE_CHECKING:
    import pyarrow as pa


def main() -> None:
    """Serve until the input ends."""
    with closing(Databases(sys.argv[1], Shortcuts(sys.argv[2]))) as databases, StandIn(databases) as server:
        _say(DONE, str(server.port))
        for line in sys.stdin:
            command, database, *arguments = json.loads(line)
            _say(*_answer(databases, command, database, arguments))


class Databases:
    """The databases of the process behind one port (`db2.session.Server`)."""

    def __init__(self, password: str, shortcuts: Shortcuts) -> None:
        self._users = {USER: password}
        self._shortcuts = shortcuts
        self._hosted: dict[str, Hosted] = {}

    def create(self, name: str, schema: str, platform: str, lsn_size: int) -> None:
        """A new database with the control tables of a capture schema."""
        if name in self._hosted:
            raise ValueError(f"the database {name} exists")
        self._hosted[name] = Hosted(name, self._users, schema, platform, lsn_size, self._shortcuts)

    def drop(self, name: str) -> None:
        """Remove a database; its sessions end."""
        self._hosted.pop(name).close()

    def add_user(self, name: str, password: str) -> None:
        """A user of all databases, whose rights are what GRANT gives."""
        self._users[name.lower()] = password

    def hosted(self, name: str) -> Hosted:
        """A database by name; raises `KeyError`."""
        return self._hosted[name]

    def authenticates(self, user: str, password: str) -> bool:
        """Whether the password is the user's."""
        return self._users.get(user.lower()) == password

    def open(self, login: Login) -> Session | None:
        """A session; None if there is no such database."""
        found = self._hosted.get(login.database.upper())
        return found.engine.open(login) if found is not None else None

    def close(self) -> None:
        """Remove all databases."""
        for name in list(self._hosted):
            self.drop(name)


class Hosted:
    """A database with its Capture program, and the clock of its server."""

    def __init__(
        self, name: str, users: dict[str, str], schema: str, platform: str, lsn_size: int, shortcuts: Shortcuts
    ) -> None:
        self.time: dt.datetime | None = None
        self.engine = Engine(name, users=users, clock=self._now, platform=platform, shortcuts=shortcuts)
        self.engine.database.administrators.intersection_update({USER.upper()})
        self.replication = Replication(self.engine, schema, lsn_size)
        self._backups: list[Backup] = []

    def _now(self) -> dt.datetime:
        return self.time or dt.datetime.now(dt.UTC)

    def commands(self) -> dict[str, Callable[..., Any]]:
        """What a test may tell it."""
        capture = self.replication.capture
        return {
            "start": capture.start,
            "stop": capture.stop,
            "capture": capture.capture,
            "advance": capture.advance,
            "step": capture.step,
            "reinit": capture.reinit,
            "suspend": lambda: setattr(capture, "is_suspended", True),
            "resume": lambda: setattr(capture, "is_suspended", False),
            "prune": capture.prune,
            "monitor": capture.monitor,
            "keep_house": capture.keep_house,
            "advances": lambda does: setattr(capture, "advances", does),
            "hold_commits": self.engine.commits.hold,
            "release_commits": self.engine.commits.release,
            "held_commits": lambda: self.engine.commits.held,
            "load": lambda schema, name, path: bulk.load(self.engine, (schema, name), _table(path)),
            "change": self._change,
            "answered": lambda: self.engine.shortcuts.answered,
            "backup": self._back_up,
            "restore": lambda number: self.replication.restore(self._backups[number]),
            "clock": self._set_clock,
            "zone": lambda name: setattr(self.engine, "zone", ZoneInfo(name) if name else dt.UTC),
            "lock_timeout": lambda seconds: setattr(self.engine, "lock_timeout", int(seconds * 1000)),
        }

    def _set_clock(self, text: str | None) -> None:
        """A fixed time with its zone (ISO 8601); None: the real one."""
        self.time = None if text is None else dt.datetime.fromisoformat(text)

    def _change(self, schema: str, name: str, operation: str, path: str, at_once: int) -> int:
        """Write captured changes; the number of rows in the change table."""
        return bulk.Changes(self.engine, self.replication).write((schema, name), operation, _table(path), at_once)

    def _back_up(self) -> int:
        """Back the database up; the backup's number."""
        self._backups.append(self.replication.backup())
        return len(self._backups) - 1

    def close(self) -> None:
        """Stop all and remove the data."""
        self.replication.close()
        self.engine.close()


def _table(path: str) -> pa.Table:
    """The Arrow table in a file."""
    import pyarrow as pa

    with pa.memory_map(path) as source:
        return pa.ipc.open_file(source).read_all()


def _answer(databases: Databases, command: str, database: str, arguments: list[Any]) -> tuple[str, str]:
    whole: dict[str, Callable[..., Any]] = {"create": databases.create, "drop": databases.drop}
    try:
        if command == "add_user":
            databases.add_user(*arguments)
            return DONE, "null"
        if command in whole:
            return DONE, json.dumps(whole[command](database, *arguments))
        return DONE, json.dumps(databases.hosted(database).commands()[command](*arguments))
    except Exception as error:  # noqa: BLE001 -- sent to the other process, which raises it
        return FAILED, f"{type(error).__name__}: {error}".replace("\n", " ")


def _say(kind: str, text: str) -> None:
    sys.stdout.write(f"{kind} {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
