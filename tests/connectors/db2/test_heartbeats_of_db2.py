"""What a heartbeat executes on a Db2."""

from __future__ import annotations

import contextlib

import pytest

from support.db2_reading import settings_of
from tailrace.connectors.db2.log_parts import log_parts
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers


def test_its_statement_is_committed(db2: Database) -> None:
    db2.sql("CREATE TABLE DB2INST1.BEATS (N INTEGER NOT NULL)")
    with contextlib.closing(log_parts(settings_of(db2)).actions()) as action:
        action.run("INSERT INTO DB2INST1.BEATS VALUES (7)")
        assert db2.value("SELECT N FROM DB2INST1.BEATS") == 7
