"""A SQL Server for tests: the stand-in in a process of its own, or a real one that a URL names.

    with StandInServer() as server:
        database = server.create_database()
        database.sql("CREATE TABLE dbo.orders (id int PRIMARY KEY, item nvarchar(20))")
        database.capture("orders")
        database.sql("INSERT dbo.orders VALUES (1, N'a')")
        database.step()                     # one scan of the log: until then nothing is captured

The stand-in runs in a process of its own, because mssql-python holds Python's global interpreter lock while it reads Arrow
batches: a server in the same process could not answer. Capture jobs are stopped until `resume`; until then only `step` and
`capture_all` read the log.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any, Final, Self
from urllib.parse import unquote, urlsplit

from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.sqlserver_database import PATIENCE, Database, Server, Unavailable, driver, patiently, run
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts

__all__ = ["Database", "GivenServer", "Server", "StandInServer", "Unavailable", "driver", "server"]

PASSWORD: Final = "Tailrace-1"  # noqa: S105 -- of a test bed on the loopback
DONE, FAILED = "done", "failed"  # how the child's answers begin
URL: Final = "TAILRACE_TEST_SQLSERVER_URL"
_SCAN: Final = "EXEC sys.sp_cdc_scan @maxtrans = 500, @maxscans = 10, @continuous = 0"


class StandInServer(Server):
    """The stand-in in a child process, on a free port of the loopback.

    `shortcuts` says which queries are recognised and answered without SQLite; None: as the environment variable says.
    """

    def __init__(self, shortcuts: Shortcuts | None = None) -> None:
        self._shortcuts = shortcuts or Shortcuts.chosen()
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        super().__init__("127.0.0.1", 0, "sa", PASSWORD, _StandInJobs(self))

    def start(self) -> Self:
        """Start it. Raises `Unavailable` if the driver can't be loaded."""
        driver()
        module, shortcuts = "tailrace_standins.servers.sqlserver_control", self._shortcuts.value
        command = [*dying_with_parent(), sys.executable, "-m", module, PASSWORD, shortcuts]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        self.port = int(self._answer())
        return self

    @property
    def pid(self) -> int:
        """Its process id; 0 while it is not running."""
        return self._child.pid if self._child else 0

    def stop(self) -> None:
        """Stop it; its data is lost."""
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
            self._child.wait(PATIENCE)
            self._child = None

    def kill(self) -> None:
        """Kill it (SIGKILL)."""
        if self._child is not None:
            self._child.kill()
            self._child.wait(PATIENCE)
            self._child = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def command(self, what: str, *arguments: Any) -> Any:
        """Run a command in its process, one of those in `sqlserver_control.py`."""
        with self._lock:
            if self._child is None or self._child.stdin is None:
                raise RuntimeError("the stand-in does not run")
            print(json.dumps([what, *arguments]), file=self._child.stdin, flush=True)
            return json.loads(self._answer())

    def _answer(self) -> str:
        assert self._child is not None  # noqa: S101
        assert self._child.stdout is not None  # noqa: S101
        kind, _, text = self._child.stdout.readline().rstrip("\n").partition(" ")
        if kind == FAILED:
            raise RuntimeError(text)
        if kind != DONE:
            raise Unavailable(f"the stand-in ended with {self._child.wait(PATIENCE)}")
        return text


class _StandInJobs:
    def __init__(self, server: StandInServer) -> None:
        self._server = server

    def quiet(self, database: Database) -> None:
        self._server.command("pause", database.name)

    def resume(self, database: Database) -> None:
        self._server.command("resume", database.name)

    def step(self, database: Database) -> int:
        return int(self._server.command("step", database.name))


class GivenServer(Server):
    """A running server, named by a URL: `mssql://user:password@host:port`. sp_cdc_scan does the capture job's work."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        user, password = unquote(parts.username or "sa"), unquote(parts.password or "")
        super().__init__(parts.hostname or "127.0.0.1", parts.port or 1433, user, password, _AgentJobs())
        driver()


class _AgentJobs:
    def __init__(self) -> None:
        self._lock = threading.Lock()

    def quiet(self, database: Database) -> None:
        """Replace the job by one that is never started; `step` waits for a scan that is still running."""
        jobs = self._jobs(database)
        if "capture" in jobs:
            database.sql("EXEC sys.sp_cdc_drop_job @job_type = N'capture'")
        database.sql("EXEC sys.sp_cdc_add_job @job_type = N'capture', @start_job = 0, @pollinginterval = 0")
        if "cleanup" not in jobs:  # enabling the first table creates both jobs, but only if the database has none
            database.sql("EXEC sys.sp_cdc_add_job @job_type = N'cleanup', @start_job = 0")

    def resume(self, database: Database) -> None:
        database.sql("EXEC sys.sp_cdc_start_job @job_type = N'capture'")

    def step(self, database: Database) -> int:
        with self._lock:
            ((last,),) = run(database.scanning, "SELECT ISNULL(MAX(session_id), 0) FROM sys.dm_cdc_log_scan_sessions")
            patiently(lambda: run(database.scanning, _SCAN))
            ((count,),) = run(
                database.scanning,
                "SELECT ISNULL(SUM(tran_count), 0) FROM sys.dm_cdc_log_scan_sessions WHERE session_id > ?",
                last,
            )
        return int(count)

    @staticmethod
    def _jobs(database: Database) -> set[str]:
        return {str(row[1]) for row in database.sql("EXEC sys.sp_cdc_help_jobs")}


def server() -> Server:
    """The server for tests; a stand-in is started. The caller must `stop` it if it is a `StandInServer`."""
    url = os.environ.get(URL)
    return GivenServer(url) if url else StandInServer().start()
