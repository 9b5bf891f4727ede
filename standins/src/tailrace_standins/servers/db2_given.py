"""A Db2 that is there already, for the tests: one database, which every test finds empty.

    server = GivenServer("db2://db2inst1:Tailrace-1@localhost:50000/TESTDB")
    database = server.create_database()         # the one of the URL, emptied
    database.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY)")
    database.register("S.T")
    database.sql("INSERT INTO S.T VALUES 1")
    database.replication.step()                 # waits until the Capture program has come so far by itself

Making a database of Db2 takes minutes, and SQL Replication is set up in each; so all tests share one. Whatever users made in it
is dropped, so its name has to begin with TEST. Its Capture program runs all the time: ASNCDCSERVICES takes commands of six
letters, so it can't be suspended. What only a stand-in can do raises `StandInOnly`, by which a test is skipped.
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import time
from typing import Any, Final, NoReturn
from urllib.parse import unquote, urlsplit

from tailrace_standins.db2.inventory import CAPTURE_SCHEMA
from tailrace_standins.servers.db2_database import Database, driver

USUAL_PORT: Final = 50000
PREFIX: Final = "TEST"
PATIENCE_SECONDS: Final = 180.0
_POLL_SECONDS: Final = 0.05
_LOCK_SECONDS: Final = 60
_CONTROL: Final = ("IBMSNAP_", "IBMQREP_")  # how names of control tables begin
_REGISTER: Final = f"{CAPTURE_SCHEMA}.IBMSNAP_REGISTER"
_PARAMETERS: Final = f"{CAPTURE_SCHEMA}.IBMSNAP_CAPPARMS"
_KEPT: Final = ("COMMIT_INTERVAL", "SLEEP_INTERVAL", "RETENTION_LIMIT")
_SET_BACK: Final = (*_KEPT, "AUTOPRUNE")
_TRACES: Final = ("IBMSNAP_PRUNCNTL", "IBMSNAP_PRUNE_SET", "IBMSNAP_UOW", "IBMSNAP_CAPMON", "IBMSNAP_CAPTRACE")
_DROPS: Final = {"V": "VIEW", "A": "ALIAS"}  # of SYSCAT.TABLES.TYPE; all others are tables

Name = tuple[str, str]
"""Schema and name."""


class StandInOnly(Exception):  # noqa: N818 -- it is not an error of the program: tests are skipped by it
    """A test asks for what only the stand-in does; the message says what."""


class GivenServer(Database):
    """A running Db2, named by a URL: `db2://user:password@host:port/DATABASE`, with the helpers of Debezium's guide in ASNCDC.

    It is its only database. Raises `Unavailable` if the driver can't be loaded.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        user, password = unquote(parts.username or "db2inst1"), unquote(parts.password or "")
        database = unquote(parts.path).strip("/").upper() or "TESTDB"
        super().__init__(parts.port or USUAL_PORT, user, password, database, _RunningProgram(self))
        self.host = parts.hostname or self.host
        self._parameters = ""
        driver()

    def create_database(
        self, name: str | None = None, schema: str = CAPTURE_SCHEMA, platform: str = "LUW", lsn_size: int = 0
    ) -> Database:
        """The database itself, emptied; raises `StandInOnly` if another one is wanted."""
        if name is not None or lsn_size or (schema, platform) != (CAPTURE_SCHEMA, "LUW"):
            raise StandInOnly("other databases than one of Db2 for LUW with the control tables in ASNCDC")
        self.empty()
        return self

    def drop_database(self, database: Database) -> None:
        """End its connection; what a test made is dropped before the next one, so that a failure can be looked at."""
        database.disconnect()

    def command(self, what: str, *_: Any) -> NoReturn:
        """What the stand-in's process does: not here."""
        raise StandInOnly(f"the stand-in's {what}")

    def add_user(self, name: str, _password: str) -> NoReturn:
        """Users are those of the operating system."""
        raise StandInOnly(f"a user {name} of its own")

    def empty(self) -> None:
        """Take all registrations back and drop all tables that users made; raises `ValueError` unless it is a TEST database."""
        if not self.database.startswith(PREFIX):
            raise ValueError(
                f"the tests drop all tables of the database that they are given, so its name has to begin with {PREFIX}, and "
                f"that of {self.database} does not: name another one in TAILRACE_TEST_DB2_URL"
            )
        self.replication.start()
        self.sql(f"SET CURRENT LOCK TIMEOUT {_LOCK_SECONDS}")
        self._set_back_parameters()
        self._unregister()
        self._drop(self._tables())
        self.sql(*(f"DELETE FROM {CAPTURE_SCHEMA}.{table}" for table in _TRACES))
        self.replication.reinit()
        self.disconnect()

    def unregister(self, *tables: str) -> None:
        """Take registrations back as Debezium's guide does: the program lets go of a change table before that is dropped."""
        for schema, _, name in (table.partition(".") for table in tables):
            named = f"SOURCE_OWNER = {_literal(schema)} AND SOURCE_TABLE = {_literal(name)}"
            self.sql(f"UPDATE {_REGISTER} SET STATE = 'I' WHERE {named}")
        self.replication.reinit()
        super().unregister(*tables)

    def _set_back_parameters(self) -> None:
        """Have the Capture program work as it did when the first test came."""
        if not self._parameters:
            found = self.sql(f"SELECT {', '.join(_KEPT)}, {_text('AUTOPRUNE')} FROM {_PARAMETERS}")
            self._parameters = ", ".join(
                f"{name} = {_value(value)}" for row in found for name, value in zip(_SET_BACK, row, strict=True)
            )
        if self._parameters:
            self.sql(f"UPDATE {_PARAMETERS} SET {self._parameters}")

    def _unregister(self) -> None:
        """No table is captured any more: the way of Debezium's guide, then what that leaves of tables that are gone."""
        if not (registered := self._registered()):
            return
        self.sql(f"UPDATE {_REGISTER} SET STATE = 'I' WHERE SOURCE_OWNER <> ''")
        self.replication.reinit()
        there = set(self._tables())
        whole = [
            (schema, name)
            for schema, name in registered
            if {(schema, name), (CAPTURE_SCHEMA, f"CDC_{schema}_{name}")} <= there
        ]
        self.sql(
            *(f"CALL {CAPTURE_SCHEMA}.REMOVETABLE({_literal(schema)}, {_literal(name)})" for schema, name in whole)
        )
        self.sql(f"DELETE FROM {_REGISTER} WHERE SOURCE_OWNER <> ''")

    def _registered(self) -> list[Name]:
        found = self.sql(
            f"SELECT {_text('SOURCE_OWNER')}, {_text('SOURCE_TABLE')} FROM {_REGISTER} WHERE SOURCE_OWNER <> ''"
        )
        return [(schema, name) for schema, name in found]

    def _tables(self) -> dict[Name, str]:
        """The tables and views that users made, with the kind of each; change tables too."""
        found = self.sql(
            f"SELECT {_text('TABSCHEMA')}, {_text('TABNAME')}, {_text('TYPE')} FROM SYSCAT.TABLES "
            "WHERE TABSCHEMA NOT LIKE 'SYS%' AND OWNERTYPE = 'U'"
        )
        return {
            (schema.rstrip(), name): kind
            for schema, name, kind in found
            if not (schema.rstrip() == CAPTURE_SCHEMA and name.startswith(_CONTROL))
        }

    def _drop(self, tables: dict[Name, str]) -> None:
        """Drop them, views first, and schemas that have nothing else."""
        ordered = sorted(tables, key=lambda name: tables[name] not in _DROPS)
        self.sql(*(f"DROP {_DROPS.get(tables[name], 'TABLE')} {_quoted(*name)}" for name in ordered))
        schemas = {schema for schema, _ in tables} - {CAPTURE_SCHEMA, self.user.upper()}
        self.sql(*(f"DROP SCHEMA {_quoted(schema)} RESTRICT" for schema in sorted(schemas)))


class _RunningProgram:
    """The Capture program of a real server (`CaptureProgram`): it runs, and is waited for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, interval: float | None = 0.02) -> None:
        del interval  # IBMSNAP_CAPPARMS has it
        self._service("start")

    def stop(self) -> None:
        """It goes on: whoever stops it wants no more changes than those that there are."""

    def capture(self) -> NoReturn:
        raise StandInOnly("rows without their synchpoint")

    def advance(self) -> NoReturn:
        raise StandInOnly("rows without their synchpoint")

    def step(self) -> int:
        """Wait until it has read the log to a time after now; how many transactions came meanwhile."""
        before, wanted = self._transactions(), self._database.value("VALUES CURRENT TIMESTAMP")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (reached := self._reached()) is None or reached <= wanted:
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"the Capture program has read the log up to {reached} after {PATIENCE_SECONDS:g} s, and {wanted} was to "
                    f"be reached: see {CAPTURE_SCHEMA}.IBMSNAP_CAPTRACE of {self._database.database}"
                )
            time.sleep(_POLL_SECONDS)
        return self._transactions() - before

    def reinit(self) -> None:
        """Have it read the register anew, and wait until it has: its commands only put that on its list."""
        self._service("reinit")
        self.step()

    def suspend(self) -> NoReturn:
        raise StandInOnly("a Capture program that pauses")

    def resume(self) -> NoReturn:
        raise StandInOnly("a Capture program that pauses")

    def prune(self, before: str | None = None) -> NoReturn:
        del before
        raise StandInOnly("changes that are pruned when a test says so")

    def command(self, what: str, *_: Any) -> NoReturn:
        """What the stand-in's process does: not here."""
        raise StandInOnly(f"the stand-in's {what}")

    def _service(self, command: str) -> None:
        self._database.sql(f"VALUES {CAPTURE_SCHEMA}.ASNCDCSERVICES('{command}', 'asncdc')")

    def _transactions(self) -> int:
        return int(self._database.value(f"SELECT COUNT(*) FROM {CAPTURE_SCHEMA}.IBMSNAP_UOW"))

    def _reached(self) -> Any:
        return self._database.value(f"SELECT MAX(SYNCHTIME) FROM {_REGISTER} WHERE GLOBAL_RECORD = 'Y'")


def _text(column: str) -> str:
    """A name of the catalogue as the driver reads it rightly, with any letters."""
    return f"CAST({column} AS VARCHAR(128) FOR BIT DATA)"


def _quoted(*names: str) -> str:
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _value(value: int | str | None) -> str:
    return "NULL" if value is None else str(value) if isinstance(value, int) else _literal(value)
