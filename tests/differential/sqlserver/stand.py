"""A server for one scenario, by default a stand-in of its own: the same numbers and times in its log each time.

Capture jobs stand still, so that the log is read only when a stage has ended, and the stand-in's clock stands still but
for a second from batch to batch.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Self

from tests.differential.sqlserver import cases
from tests.differential.sqlserver.cases import Step

from tailrace_standins.servers.sqlserver_server import Database, Server, StandInServer
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts

BEGINNING = dt.datetime(2026, 3, 1, 12, 0, 0, 123456, dt.UTC)
POLLED_SECONDS = 1  # by the capture job, if it ran; Debezium tells the end of a transaction after twice that
MARKER = "zz_marker"


class Stand:
    """A server with the databases of a case; the steps of its stages are run here."""

    def __init__(
        self,
        databases: Iterable[str],
        *,
        marked: bool = True,
        server: Server | None = None,
        shortcuts: Shortcuts | None = None,
    ) -> None:
        self.server = server or StandInServer(shortcuts)
        self._own = self.server if server is None else None  # whose clock is ours as well
        self.databases: dict[str, Database] = {}
        self.marks = 0
        self._names = list(databases)
        self._marked = marked
        self._now = BEGINNING

    def __enter__(self) -> Self:
        if isinstance(self._own, StandInServer):
            self._own.start()
        self._tick()
        for name in self._names:
            made = self.databases[name] = self.server.create_database(name)
            if self._marked:
                made.sql(f"CREATE TABLE dbo.{MARKER} (id int IDENTITY(1, 1) NOT NULL PRIMARY KEY)")
                made.capture(MARKER)
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self._own, StandInServer):
            self._own.stop()
            return
        for database in self.databases.values():
            database.drop()

    @property
    def answered(self) -> int:
        """How many queries took the stand-in's shortcuts."""
        return int(self._own.command("answered")) if isinstance(self._own, StandInServer) else 0

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.server.port

    def run(self, step: Step) -> None:
        """Run a batch, or make capture instances: where they begin is read with the rest of the stage.

        The log must not be read up to there alone: Debezium that looks at that moment misses the change of structure
        (`docs/reference/differences.md`, "A capture instance that the log ends with").
        """
        database = self.databases[step.database]
        self._tick()
        if step.kind == "sql":
            database.sql(step.text)
            return
        for each in cases.capturings(step.text):
            database.enable(each.table, each.instance, each.columns, each.schema)
            database.sql("EXEC sys.sp_cdc_change_job @job_type = N'capture', @pollinginterval = ?", POLLED_SECONDS)

    def captured(self, *, mark: bool = False) -> None:
        """The log is read to its end, behind a marker's row in each database where one is wanted."""
        self.marks += mark
        for database in self.databases.values():
            self._tick()
            if mark:
                database.sql(f"INSERT dbo.{MARKER} DEFAULT VALUES")
            database.capture_all()

    def resume(self) -> None:
        """From now on the capture jobs read the log by themselves."""
        for database in self.databases.values():
            database.resume()

    def _tick(self) -> None:
        if isinstance(self._own, StandInServer):
            self._now += dt.timedelta(seconds=1)
            self._own.command("clock", self._now.isoformat())
