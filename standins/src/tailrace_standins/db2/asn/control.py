"""What operates capturing from SQL: ADDTABLE, REMOVETABLE, ASNCDCSERVICES, as the helper scripts of Debezium's guide have them.

Sources: Debezium documentation, "Setting up Db2" (management functions); IBM Db2 documentation, "asnccmd: Operating Capture"
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Callable

from tailrace_standins.db2.asn import backups, control_tables
from tailrace_standins.db2.asn.backups import Backup
from tailrace_standins.db2.asn.capture import Capture
from tailrace_standins.db2.asn.numbers import LONG, SHORT, Lsns
from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.catalog import ZOS
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.storage.sessions import Stored


class Replication:
    """SQL Replication of a database: its control tables, the program, the procedures.

    Args:
        engine: the database.
        schema: the capture schema.
        lsn_size: of log sequence numbers, in bytes; 0: 16 on LUW, 10 on z/OS.

    Attributes:
        capture: the program, which is not started.

    """

    def __init__(self, engine: Engine, schema: str = "ASNCDC", lsn_size: int = 0) -> None:
        self.schema = schema
        self._engine = engine
        self._lsns = Lsns(lsn_size or (SHORT if engine.database.platform == ZOS else LONG))
        session = engine.session()
        for sql in control_tables.statements(schema, self._lsns.sql_type):
            session.run(sql)
        session.commit()
        session.close()
        self.capture = Capture(engine, schema, self._lsns)
        engine.procedures[schema, "ADDTABLE"] = self.add_table
        engine.procedures[schema, "REMOVETABLE"] = self.remove_table
        engine.functions[schema, "ASNCDCSERVICES"] = self._service
        engine.database.version += 1

    def add_table(self, session: EngineSession, owner: Stored, name: Stored) -> None:
        """Register a table: DATA CAPTURE CHANGES, its change table, its register row; active from the next reinit on."""
        source, target = f'"{owner}"."{name}"', f'"{self.schema}"."CDC_{owner}_{name}"'
        lsn, splits = self._lsns.sql_type, "N" if self._engine.database.platform == ZOS else "Y"
        session.run(f"ALTER TABLE {source} DATA CAPTURE CHANGES")
        session.run(
            f"CREATE TABLE {target} AS (SELECT CAST('' AS {lsn}) AS IBMSNAP_COMMITSEQ, CAST('' AS {lsn}) AS IBMSNAP_INTENTSEQ, "
            f"CAST('' AS CHAR(1)) AS IBMSNAP_OPERATION, t.* FROM {source} AS t) WITH NO DATA ORGANIZE BY ROW"
        )
        for first in ("IBMSNAP_COMMITSEQ", "IBMSNAP_INTENTSEQ", "IBMSNAP_OPERATION"):
            session.run(f"ALTER TABLE {target} ALTER COLUMN {first} SET NOT NULL")
        for column in session.database.find(self.schema, f"CDC_{owner}_{name}").columns[3:]:
            if not column.nullable and column.type.name in types.LARGE:
                session.run(f'ALTER TABLE {target} ALTER COLUMN "{column.name}" DROP NOT NULL')
        session.run(
            f'CREATE UNIQUE INDEX "{self.schema}"."IXCDC_{owner}_{name}" ON {target} (IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ)'
        )
        session.run(
            f'INSERT INTO "{self.schema}".IBMSNAP_REGISTER (SOURCE_OWNER, SOURCE_TABLE, SOURCE_VIEW_QUAL, GLOBAL_RECORD, '
            "SOURCE_STRUCTURE, SOURCE_CONDENSED, SOURCE_COMPLETE, CD_OWNER, CD_TABLE, PHYS_CHANGE_OWNER, PHYS_CHANGE_TABLE, "
            "DISABLE_REFRESH, ARCH_LEVEL, CONFLICT_LEVEL, CHG_UPD_TO_DEL_INS, CHGONLY, RECAPTURE, OPTION_FLAGS, "
            "STOP_ON_ERROR, STATE) "
            "VALUES (?, ?, 0, 'N', 1, 'Y', 'Y', ?, ?, ?, ?, 0, '0801', '0', ?, 'N', 'Y', 'NNNN', 'Y', 'A')",
            owner, name, *(self.schema, f"CDC_{owner}_{name}") * 2, splits,
        )  # fmt: skip
        number = session.run(f'SELECT COALESCE(MAX(INTEGER(MAP_ID)), 0) + 1 FROM "{self.schema}".IBMSNAP_PRUNCNTL')[0][
            0
        ]
        session.run(
            f'INSERT INTO "{self.schema}".IBMSNAP_PRUNCNTL (TARGET_SERVER, TARGET_OWNER, TARGET_TABLE, SOURCE_OWNER, '
            f'SOURCE_TABLE, '
            "SOURCE_VIEW_QUAL, APPLY_QUAL, SET_NAME, CNTL_SERVER, TARGET_STRUCTURE, CNTL_ALIAS, PHYS_CHANGE_OWNER, "
            "PHYS_CHANGE_TABLE, "
            "MAP_ID) VALUES ('KAFKA', ?, ?, ?, ?, 0, 'KAFKAQUAL', 'SET001', 'KAFKA', 8, 'KAFKA', ?, ?, ?)",
            owner, name, owner, name, self.schema, f"CDC_{owner}_{name}", str(number),
        )  # fmt: skip

    def remove_table(self, session: EngineSession, owner: Stored, name: Stored) -> None:
        """Take a registration back, with its change table."""
        for table in ("IBMSNAP_REGISTER", "IBMSNAP_PRUNCNTL"):
            session.run(f'DELETE FROM "{self.schema}".{table} WHERE SOURCE_OWNER = ? AND SOURCE_TABLE = ?', owner, name)
        session.run(f'DROP TABLE "{self.schema}"."CDC_{owner}_{name}"')
        session.run(f'ALTER TABLE "{owner}"."{name}" DATA CAPTURE NONE')

    def _service(self, session: EngineSession, command: Stored, schema: Stored = "") -> str:
        """A command for the program; what it answers."""
        del session, schema
        running = self.capture.is_running
        if command == "start":
            if running:
                return "asncap is already running"
            self.capture.start(None)
            return f"asncap capture_schema={self.schema} capture_server={self._engine.database.name}"
        if not running:
            return "asncap is not running"
        if command == "status":
            return "asncap is doing work"
        actions: dict[str, Callable[[], None]] = {
            "stop": self.capture.stop,
            "reinit": self.capture.reinit,
            "prune": self.capture.prune,
            "suspend": self._suspend,
            "resume": self._resume,
        }
        if command not in actions:
            return "The command was not processed"
        actions[str(command)]()
        return f"ASN0520I the {command} command was processed"

    def backup(self) -> Backup:
        """Back the database up."""
        return backups.taken(self._engine, self.capture)

    def restore(self, backup: Backup) -> None:
        """Restore it, with the log sequence numbers of that time."""
        backups.restore(self._engine, self.capture, backup)

    def _suspend(self) -> None:
        self.capture.is_suspended = True

    def _resume(self) -> None:
        self.capture.is_suspended = False

    def close(self) -> None:
        """Stop the program."""
        self.capture.close()
