"""Real Debezium's Db2 connector on the stand-in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.differential import debezium, jars
from tests.differential.snapshots.running import PREFIX, Session

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.server import StandIn

USER, PASSWORD, DATABASE = "db2inst1", "Tailrace-1", "TESTDB"


class Stand:
    """A database with SQL Replication behind a wire; tables are registered and captured at once.

    Attributes:
        engine, replication, server: its parts.

    """

    def __init__(self) -> None:
        self.engine = Engine(DATABASE, users={USER: PASSWORD})
        self.replication = Replication(self.engine)
        self.server = StandIn(self.engine)
        self.server.__enter__()
        self.replication.capture.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.server.port

    def sql(self, *statements: str) -> None:
        """Run statements in one transaction."""
        session = self.engine.session()
        try:
            for statement in statements:
                session.run(statement)
            session.commit()
        finally:
            session.close()

    def register(self, *tables: str) -> None:
        """Register tables of DB2INST1, and capture them."""
        self.sql(*(f"CALL ASNCDC.ADDTABLE('DB2INST1', '{table}')" for table in tables))
        self.replication.capture.reinit()

    def close(self) -> None:
        """End it."""
        self.server.__exit__(None, None, None)
        self.replication.close()
        self.engine.close()


class DebeziumSession(Session):
    """One connector, in one run of the engine or several."""

    def __init__(self, stand: Stand, folder: Path, properties: Mapping[str, str]) -> None:
        self.stand = stand
        super().__init__(stand, folder, properties)

    def _base(self) -> dict[str, str]:
        return {
            **debezium.stored_in(self.folder),
            "connector.class": jars.DB2,
            "topic.prefix": PREFIX,
            "database.hostname": "127.0.0.1",
            "database.port": str(self.stand.port),
            "database.user": USER,
            "database.password": PASSWORD,
            "database.dbname": DATABASE,
            **{f"{part}.converter.schemas.enable": "false" for part in ("key", "value", "header")},
        }
