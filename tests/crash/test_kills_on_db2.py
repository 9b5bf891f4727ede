"""kill -9 over live changes of a Db2 whose Capture program runs: nothing is lost, nothing is there twice.

The changes are folded into tables, which have to come out as the server's are.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.crash.test_kills_on_sqlserver import files, wait_for_more

from support.every_scenario import only_with_all
from support.folding import assert_counted, assert_once_and_in_order, committed_lines, folded
from support.live_run import TaskRun
from tailrace_standins.servers.db2_server import Database

KILLS = 5
SECONDS = 120
TABLES = ("A", "B")
PLAIN = {
    "key.converter.schemas.enable": "false",
    "value.converter.schemas.enable": "false",
    "decimal.handling.mode": "string",
    "streaming.query.timespan.seconds": "2",  # windows end, and begin, within what one kill leaves behind
}
pytestmark = [pytest.mark.drivers, pytest.mark.slow]


class Writer(threading.Thread):
    """Transactions over two tables, some of them of many rows, some rolled back."""

    def __init__(self, database: Database, seed: int) -> None:
        super().__init__(daemon=True)
        self.stop = threading.Event()
        self.transactions = 0
        self.error: Exception | None = None
        self._database = database
        self._random = random.Random(seed)
        self._keys = iter(range(1, 1_000_000))

    def run(self) -> None:
        connection = self._database.connect()
        try:
            while not self.stop.wait(0.02):
                self._transaction(connection)
                self.transactions += 1
        except Exception as error:
            self.error = error
        finally:
            connection.close()

    def _transaction(self, connection: Any) -> None:
        for _ in range(self._random.choice((1, 1, 2, 5))):
            with connection.cursor() as cursor:
                cursor.execute(self._statement())
        if self._random.random() < 0.1:
            connection.rollback()
        else:
            connection.commit()

    def _statement(self) -> str:
        table, key = self._random.choice(TABLES), next(self._keys)
        some = self._random.randrange(key + 1)
        return self._random.choice(
            (
                f"INSERT INTO S.{table} VALUES ({key}, 'näme {key}', {key}.25)",
                f"INSERT INTO S.{table} SELECT {-key} * 1000 - MOD(ID, 1000), NAME, AMOUNT FROM S.{table} WHERE ID > {key - 20}",
                f"UPDATE S.{table} SET AMOUNT = AMOUNT + 1 WHERE ID BETWEEN {some} AND {some + 9}",
                f"DELETE FROM S.{table} WHERE ID BETWEEN {some} AND {some + 2}",
                f"UPDATE S.{table} SET ID = {key} WHERE ID = (SELECT MAX(ID) FROM S.{table} WHERE ID < {some})",
            )
        )


@pytest.fixture
def writer(db2: Database) -> Iterator[Writer]:
    """Writes while the Capture program runs, from its `start` on."""
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    for table in TABLES:
        db2.sql(f"CREATE TABLE S.{table} (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(40), AMOUNT DECIMAL(12, 2))")
    db2.register(*(f"S.{table}" for table in TABLES))
    db2.replication.start()
    made = Writer(db2, seed)
    yield made
    made.stop.set()
    if made.ident is not None:
        made.join()


@pytest.mark.parametrize("metadata", [pytest.param("false", marks=only_with_all), "true"])
def test_kills_over_live_changes_leave_every_change_once(
    db2: Database, writer: Writer, tmp_path: Path, metadata: str
) -> None:
    config, out = tmp_path / "config.json", tmp_path / "out"
    properties = db2.properties() | PLAIN | {"provide.transaction.metadata": metadata}
    config.write_text(json.dumps({"name": "shop", "config": properties}))
    run = TaskRun(tmp_path, config, f"files:{out}", [db2.port])
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    writer.start()
    for _ in range(KILLS):
        seen = files(out)
        run.start()
        wait_for_more(out, seen, run)
        time.sleep(random.uniform(0, 0.3))  # a kill may fall anywhere
        run.kill_all()
    writer.stop.set()
    writer.join()
    assert writer.error is None
    db2.replication.stop()
    db2.replication.step()
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    lines = committed_lines(out)
    for table in TABLES:
        of_table = lines[f"s.S.{table}"]
        assert_once_and_in_order(of_table)
        found = {row["ID"]: (row["NAME"], row["AMOUNT"]) for row in folded(of_table).values()}
        server = db2.sql(f"SELECT ID, CAST(NAME AS VARCHAR(40) FOR BIT DATA), AMOUNT FROM S.{table}")
        assert found == {key: (name, str(amount)) for key, name, amount in server}
    if metadata == "true":
        assert_counted(lines, [f"S.{table}" for table in TABLES])
    print(f"{writer.transactions} transactions, {sum(map(len, lines.values()))} records, {KILLS} kills")
