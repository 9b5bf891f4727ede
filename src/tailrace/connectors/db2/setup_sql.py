"""The SQL that registers tables with SQL Replication and grants rights, as `tailrace check` prints it and `--apply` runs it.

No statement that is executed drops or disables anything. What only a person should do is text: to stop capturing a table while
it is altered, and commands on the machine of the Capture program.

Each statement is a transaction. Where a table is registered without ADDTABLE, the registration is written only if its change
table was made, as the Capture program would stop at one without.

Sources: Debezium documentation, "Setting up Db2" (ADDTABLE, ASNCDCSERVICES); IBM Db2 documentation, "IBMSNAP_REGISTER table",
"asnccmd: Operating Capture"
"""

# ruff: noqa: S608  # names and texts are quoted
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.db2.connection import literal, quoted
from tailrace.connectors.findings import Statement
from tailrace.schema.tables import TableId

LONGEST_NAME: Final = 128
_KEYS: Final = (
    "CAST('' AS VARCHAR(16) FOR BIT DATA) AS IBMSNAP_COMMITSEQ, CAST('' AS VARCHAR(16) FOR BIT DATA) AS IBMSNAP_INTENTSEQ, "
    "CAST('' AS CHAR(1)) AS IBMSNAP_OPERATION"
)
_REGISTER: Final = (
    "SOURCE_OWNER, SOURCE_TABLE, SOURCE_VIEW_QUAL, GLOBAL_RECORD, SOURCE_STRUCTURE, SOURCE_CONDENSED, SOURCE_COMPLETE, "
    "CD_OWNER, CD_TABLE, PHYS_CHANGE_OWNER, PHYS_CHANGE_TABLE, DISABLE_REFRESH, ARCH_LEVEL, CONFLICT_LEVEL, "
    "CHG_UPD_TO_DEL_INS, CHGONLY, RECAPTURE, OPTION_FLAGS, STOP_ON_ERROR, STATE"
)
_PRUNING: Final = (
    "TARGET_SERVER, TARGET_OWNER, TARGET_TABLE, SOURCE_OWNER, SOURCE_TABLE, SOURCE_VIEW_QUAL, APPLY_QUAL, SET_NAME, "
    "CNTL_SERVER, TARGET_STRUCTURE, CNTL_ALIAS, PHYS_CHANGE_OWNER, PHYS_CHANGE_TABLE, MAP_ID"
)


@dataclass(frozen=True, slots=True)
class Db2Statement(Statement):
    """A statement for the connected database.

    Attributes:
        is_last: whether it runs when all others have: the Capture program reads the register anew once.

    """

    is_last: bool = False

    def __str__(self) -> str:
        return self.sql


@dataclass(frozen=True, slots=True)
class Services:
    """How SQL Replication is operated here.

    Attributes:
        database: the connected one.
        schema: of the control tables.
        registers: whether the procedure ADDTABLE of Debezium's guide is there.
        commands: whether its function ASNCDCSERVICES is.
        is_zos: whether the server is Db2 for z/OS, where neither can be.

    """

    database: str
    schema: str
    registers: bool = False
    commands: bool = False
    is_zos: bool = False

    def control(self, table: str) -> str:
        """A control table in SQL."""
        return f"{quoted(self.schema)}.{table}"

    def statement(self, sql: str) -> Db2Statement:
        """A statement for this database."""
        return Db2Statement(self.database, sql)

    def command(self, what: str) -> tuple[Db2Statement, ...]:
        """The statement for a command of the Capture program; none where the function is missing."""
        if not self.commands:
            return ()
        call = f"{quoted(self.schema)}.ASNCDCSERVICES({literal(what)}, {literal(self._folded)})"
        return (Db2Statement(self.database, f"VALUES {call}", is_last=True),)

    def told(self, what: str) -> str:
        """The same as a command of the machine; empty where the statement can be run."""
        if self.commands:
            return ""
        if self.is_zos:
            return f"{what} with MODIFY or asnccmd"
        if what == "start":
            return f"asncap capture_server={self.database} capture_schema={self._folded}"
        return f"asnccmd capture_server={self.database} capture_schema={self._folded} {what}"

    @property
    def _folded(self) -> str:
        """The schema as commands take it, in which capital letters are the usual ones."""
        return self.schema.lower() if self.schema == self.schema.upper() else self.schema

    def register(self, table: TableId, taken: Iterable[str] = ()) -> tuple[Db2Statement, ...]:
        """Register a table and let the program read the register anew; `taken`: names of tables in the control schema.

        Empty on z/OS, where a table needs a database and a table space that a person chooses.
        """
        if self.is_zos:
            return ()
        if self.registers:
            call = f"CALL {quoted(self.schema)}.ADDTABLE({literal(table.schema)}, {literal(table.name)})"
            return (self.statement(call), *self.command("reinit"))
        made = self._registration(table, _fresh_name(table, taken))
        return (self.capture(table), *map(self.statement, made), *self.command("reinit"))

    def _registration(self, table: TableId, name: str) -> Iterable[str]:
        """What ADDTABLE does: the change table, and the rows of the control tables."""
        source, target = quoted(table.schema, table.name), quoted(self.schema, name)
        index = quoted(self.schema, f"IX{name}"[:LONGEST_NAME])
        yield f"CREATE TABLE {target} AS (SELECT {_KEYS}, t.* FROM {source} AS t) WITH NO DATA ORGANIZE BY ROW"
        yield f"CREATE UNIQUE INDEX {index} ON {target} (IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ)"
        yield f"ALTER TABLE {target} VOLATILE CARDINALITY"
        change_table = f"{literal(self.schema)}, {literal(name)}"
        yield (
            f"INSERT INTO {self.control('IBMSNAP_REGISTER')} ({_REGISTER}) SELECT t.TABSCHEMA, t.TABNAME, 0, 'N', 1, 'Y', 'Y', "
            f"{change_table}, {change_table}, 0, '0801', '0', 'Y', 'N', 'Y', 'NNNN', 'Y', 'A' FROM SYSCAT.TABLES t "
            f"JOIN SYSCAT.TABLES c ON c.TABSCHEMA = {literal(self.schema)} AND c.TABNAME = {literal(name)} "
            f"WHERE t.TABSCHEMA = {literal(table.schema)} AND t.TABNAME = {literal(table.name)} AND t.DATACAPTURE <> 'N'"
        )
        yield (
            f"INSERT INTO {self.control('IBMSNAP_PRUNCNTL')} ({_PRUNING}) SELECT 'KAFKA', SOURCE_OWNER, SOURCE_TABLE, "
            "SOURCE_OWNER, SOURCE_TABLE, 0, 'KAFKAQUAL', 'SET001', 'KAFKA', 8, 'KAFKA', CD_OWNER, CD_TABLE, "
            f"(SELECT CAST(COALESCE(MAX(INTEGER(MAP_ID)), 0) + 1 AS VARCHAR(10)) FROM {self.control('IBMSNAP_PRUNCNTL')}) "
            f"FROM {self.control('IBMSNAP_REGISTER')} WHERE SOURCE_OWNER = {literal(table.schema)} "
            f"AND SOURCE_TABLE = {literal(table.name)}"
        )

    def activate(self, table: TableId) -> tuple[Db2Statement, ...]:
        """Let a registered table be captured from now on."""
        return (self.statement(self.in_state(table, "A")), *self.command("reinit"))

    def in_state(self, table: TableId, state: str) -> str:
        """The SQL that sets a registration's state, which the program takes when it reads the register anew."""
        return self._registered(table, f"STATE = {literal(state)}")

    def with_deletes(self, table: TableId) -> tuple[Db2Statement, ...]:
        """Let updates come as a delete and an insert, with both images."""
        return (self.statement(self._registered(table, "CHG_UPD_TO_DEL_INS = 'Y'")), *self.command("reinit"))

    def capture(self, table: TableId) -> Db2Statement:
        """Let the log have whole rows of a table."""
        return self.statement(f"ALTER TABLE {quoted(table.schema, table.name)} DATA CAPTURE CHANGES")

    def keep_changes(self, minutes: int) -> Db2Statement:
        """Set for how long changes are kept; it holds from the next start of the Capture program on."""
        return self.statement(f"UPDATE {self.control('IBMSNAP_CAPPARMS')} SET RETENTION_LIMIT = {minutes}")

    def grant_select(self, schema: str, table: str, user: str) -> Db2Statement:
        """Grant SELECT on a table."""
        grantee = quoted(user) if self.is_zos else f"USER {quoted(user)}"
        return self.statement(f"GRANT SELECT ON {quoted(schema, table)} TO {grantee}")

    def altered_online(self, table: TableId, change_table: str, changes: Iterable[str]) -> str:
        """How a change table gets the columns of its source; for people, since the table is not captured for a moment."""
        reinit = self.told("reinit") or self.command("reinit")[0].sql
        alter = "; ".join(f"ALTER TABLE {change_table} {each}" for each in changes)
        return (
            f"while nobody writes to it, and all of its changes are delivered: {alter}; {self.in_state(table, 'I')}; "
            f"{reinit}; {self.in_state(table, 'A')}; {reinit}"
        )

    def _registered(self, table: TableId, assignment: str) -> str:
        return (
            f"UPDATE {self.control('IBMSNAP_REGISTER')} SET {assignment} WHERE SOURCE_OWNER = {literal(table.schema)} AND "
            f"SOURCE_TABLE = {literal(table.name)}"
        )


def _fresh_name(table: TableId, taken: Iterable[str]) -> str:
    """A change table's name as ADDTABLE makes it, with a number behind it where one has it already."""
    there, number = set(taken), 1
    base = name = f"CDC_{table.schema}_{table.name}"[:LONGEST_NAME]
    while name in there:
        number += 1
        name = base[: LONGEST_NAME - 1 - len(str(number))] + f"_{number}"
    return name
