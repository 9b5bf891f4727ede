"""A Db2 for tests: the stand-in in a process of its own, or a real one that a URL names.

    with StandInServer() as db2:
        db2.sql("CREATE TABLE S.ORDERS (ID INTEGER NOT NULL PRIMARY KEY, ITEM VARCHAR(20))")
        db2.register("S.ORDERS")
        db2.sql("INSERT INTO S.ORDERS VALUES (1, 'a')", "INSERT INTO S.ORDERS VALUES (2, 'b')")  # one transaction
        db2.replication.step()                  # capture it: until then nothing is in the change table

The server is its first database; `create_database` makes others in the same process, for a test each. The stand-in runs in a
process of its own, so that it takes no time of the interpreter whose work is tested or measured. The Capture program is not
started: until `replication.start` only its steps read the log.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import uuid
from typing import TYPE_CHECKING, Any, Final, Self

from tailrace_standins.db2.inventory import CAPTURE_SCHEMA
from tailrace_standins.db2.shortcuts.switch import Shortcuts
from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.db2_database import Database, Unavailable, driver
from tailrace_standins.servers.db2_given import GivenServer, StandInOnly

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Database", "GivenServer", "StandInOnly", "StandInServer", "Unavailable", "driver", "server"]

USER: Final = "db2inst1"
PASSWORD: Final = "Tailrace-1"  # noqa: S105 -- of a test bed on the loopback
FIRST: Final = "TESTDB"
DONE, FAILED = "done", "failed"  # how the child's answers begin
URL: Final = "TAILRACE_TEST_DB2_URL"
_PATIENCE: Final = 60.0
_USUAL: Final = ("LUW", 0)  # the platform, and the size of log sequence numbers that it has


class StandInServer(Database):
    """The stand-in in a child process, on a free port of the loopback; it is the database `database` of it.

    Args:
        database: its first database's name.
        schema: of the control tables.
        shortcuts: which queries are answered by rows that were encoded before; None: as the environment variable says.

    """

    def __init__(
        self, database: str = FIRST, schema: str = CAPTURE_SCHEMA, shortcuts: Shortcuts | None = None
    ) -> None:
        self._shortcuts = shortcuts or Shortcuts.chosen()
        self._lock = threading.Lock()
        self._schema = schema
        self._child: subprocess.Popen[str] | None = None
        super().__init__(0, USER, PASSWORD, database, _Steps(self, database))

    def start(self) -> Self:
        """Start it. Raises `Unavailable` if the driver can't be loaded."""
        driver()
        module, shortcuts = "tailrace_standins.servers.db2_control", self._shortcuts.value
        command = [*dying_with_parent(), sys.executable, "-m", module, PASSWORD, shortcuts]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        self.port = int(self._answer())
        self.command("create", self.database, self._schema, *_USUAL)
        return self

    def create_database(
        self, name: str | None = None, schema: str = CAPTURE_SCHEMA, platform: str = _USUAL[0], lsn_size: int = 0
    ) -> Database:
        """Another database in the process, with control tables of its own.

        Args:
            name: up to eight characters; None for a new one.
            schema: of the control tables.
            platform: LUW or ZOS, which has another catalogue and updates as U rows.
            lsn_size: of log sequence numbers, 16 or 10 bytes; 0: as the platform has them.

        """
        made = name or f"T{uuid.uuid4().hex[:7].upper()}"
        self.command("create", made, schema, platform, lsn_size)
        return Database(self.port, self.user, self.password, made, _Steps(self, made))

    def drop_database(self, database: Database) -> None:
        """Remove a database that `create_database` made."""
        database.disconnect()
        self.command("drop", database.database)

    def add_user(self, name: str, password: str) -> None:
        """Add a user to all databases, who may do what GRANT allows."""
        self.command("add_user", self.database, name, password)

    def load(self, table: str, rows: pa.Table, database: Database | None = None) -> None:
        """Add rows to a table past SQL and the log: a million in some seconds (`db2/bulk.py`)."""
        self._bulk("load", table, rows, database)

    def change(
        self, table: str, operation: str, rows: pa.Table, at_once: int = 1000, database: Database | None = None
    ) -> int:
        """Change a registered table as if it had been captured, in transactions of `at_once` rows (`db2/bulk.py`).

        Args:
            table: `SCHEMA.TABLE`.
            operation: `insert`, `update` (rows are the new ones) or `delete` (rows have the primary key).
            rows: columns by name.
            at_once: rows of a transaction.
            database: None for the first one.

        Returns: the number of rows in the change table.

        """
        return int(self._bulk("change", table, rows, database, operation, at_once))

    def _bulk(self, what: str, table: str, rows: pa.Table, database: Database | None, *more: Any) -> Any:
        import pyarrow as pa

        schema, _, name = table.partition(".")
        with tempfile.TemporaryDirectory(prefix="tailrace-db2-") as folder:
            path = f"{folder}/rows.arrow"
            with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
                writer.write_table(rows)
            given = [*more[:1], path, *more[1:]]
            return self.command(what, (database or self).database, schema, name, *given)

    @property
    def pid(self) -> int:
        """Its process id; 0 while it is not running."""
        return self._child.pid if self._child else 0

    def stop(self) -> None:
        """Stop it; its data is lost."""
        self.disconnect()
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
            self._child.wait(_PATIENCE)
            self._child = None

    def kill(self) -> None:
        """Kill it (SIGKILL)."""
        if self._child is not None:
            self._child.kill()
            self._child.wait(_PATIENCE)
            self._child = None
        self._connection = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def command(self, what: str, database: str, *arguments: Any) -> Any:
        """Run a command in its process, one of those in `db2_control.py`."""
        with self._lock:
            if self._child is None or self._child.stdin is None:
                raise RuntimeError("the stand-in does not run")
            print(json.dumps([what, database, *arguments]), file=self._child.stdin, flush=True)
            return json.loads(self._answer())

    def _answer(self) -> str:
        assert self._child is not None  # noqa: S101
        assert self._child.stdout is not None  # noqa: S101
        kind, _, text = self._child.stdout.readline().rstrip("\n").partition(" ")
        if kind == FAILED:
            raise RuntimeError(text)
        if kind != DONE:
            raise Unavailable(f"the stand-in ended with {self._child.wait(_PATIENCE)}")
        return text


class _Steps:
    """The Capture program of a database in the child process; `clock` and the like are the stand-in's alone."""

    def __init__(self, server: StandInServer, database: str) -> None:
        self._server = server
        self._database = database

    def command(self, what: str, *arguments: Any) -> Any:
        """Run a command of `db2_control.py` on this database."""
        return self._server.command(what, self._database, *arguments)

    def start(self, interval: float | None = 0.02) -> None:
        self.command("start", interval)

    def stop(self) -> None:
        self.command("stop")

    def capture(self) -> int:
        return int(self.command("capture"))

    def advance(self) -> None:
        self.command("advance")

    def step(self) -> int:
        return int(self.command("step"))

    def reinit(self) -> None:
        self.command("reinit")

    def suspend(self) -> None:
        self.command("suspend")

    def resume(self) -> None:
        self.command("resume")

    def prune(self, before: str | None = None) -> None:
        self.command("prune", before)


def server() -> StandInServer | GivenServer:
    """The server for tests; a stand-in is started. The caller must `stop` it if it is a `StandInServer`."""
    url = os.environ.get(URL)
    return GivenServer(url) if url else StandInServer().start()
