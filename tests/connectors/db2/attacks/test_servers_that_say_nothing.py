"""A server that keeps a connection open and says no more: the session gives it up, and the process can end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers
GIVES_UP = """
import sys
from tailrace.config.secret import Secret
from tailrace.connectors.db2.connection import Address, connect_to
from tailrace.connectors.db2.errors_of_driver import QueryTimeoutError

port, database, user, password = sys.argv[1:]
session = connect_to(Address("127.0.0.1", int(port), database, user, Secret(password), query_seconds=0.5))
try:
    session.one("SELECT COUNT(*) FROM S.T WITH RS")
except QueryTimeoutError:
    print("given up", flush=True)
session.close()
"""


def test_a_process_ends_while_a_statement_hangs_in_the_driver(db2: Database) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY)")
    db2.replication.command("lock_timeout", 1000)  # type: ignore[attr-defined]
    lock = db2.connect()
    with lock.cursor() as cursor:
        cursor.execute("LOCK TABLE S.T IN EXCLUSIVE MODE")
        command = [sys.executable, "-c", GIVES_UP, str(db2.port), db2.database, db2.user, db2.password]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.strip() == "given up"
    lock.rollback()
    lock.close()
