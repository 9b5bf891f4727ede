"""kill -9 over live changes of a SQL Server whose capture job runs: nothing is lost, nothing is there twice.

The changes are folded into tables, which have to come out as the server's are.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.every_scenario import only_with_all
from support.folding import assert_counted, assert_once_and_in_order, committed_lines, folded
from support.live_run import TaskRun
from tailrace_standins.servers.sqlserver_server import Database

KILLS = 5
SECONDS = 120
TABLES = ("a", "b")
PLAIN = {
    "key.converter.schemas.enable": "false",
    "value.converter.schemas.enable": "false",
    "decimal.handling.mode": "string",
    "max.iteration.transactions": "40",  # windows end, and begin, within what one kill leaves behind
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
        try:
            while not self.stop.wait(0.02):
                self._transaction()
                self.transactions += 1
        except Exception as error:
            self.error = error

    def _transaction(self) -> None:
        statements = [self._statement() for _ in range(self._random.choice((1, 1, 2, 5)))]
        end = "ROLLBACK" if self._random.random() < 0.1 else "COMMIT"
        self._database.sql(f"BEGIN TRAN; {'; '.join(statements)}; {end}")

    def _statement(self) -> str:
        table, key = self._random.choice(TABLES), next(self._keys)
        some = self._random.randrange(key + 1)
        return self._random.choice(
            (
                f"INSERT {table} VALUES ({key}, N'näme {key}', {key}.25)",
                f"INSERT {table} SELECT {-key} * 1000 - id % 1000, name, amount FROM {table} WHERE id BETWEEN {some} AND {some + 20}",
                f"UPDATE {table} SET amount = amount + 1 WHERE id BETWEEN {some} AND {some + 9}",
                f"DELETE {table} WHERE id BETWEEN {some} AND {some + 2}",
                f"UPDATE {table} SET id = {key} WHERE id = (SELECT MAX(id) FROM {table} WHERE id < {some})",
            )
        )


@pytest.fixture
def writer(sqlserver: Database) -> Iterator[Writer]:
    """Writes while the capture job runs, from its `start` on."""
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    for table in TABLES:
        sqlserver.sql(f"CREATE TABLE {table} (id int PRIMARY KEY, name nvarchar(40), amount decimal(12, 2))")
        sqlserver.capture(table)
    sqlserver.resume()
    made = Writer(sqlserver, seed)
    yield made
    made.stop.set()
    if made.ident is not None:
        made.join()


@pytest.mark.parametrize("metadata", [pytest.param("false", marks=only_with_all), "true"])
def test_kills_over_live_changes_leave_every_change_once(
    sqlserver: Database, writer: Writer, tmp_path: Path, metadata: str
) -> None:
    config, out = tmp_path / "config.json", tmp_path / "out"
    properties = sqlserver.properties() | PLAIN | {"provide.transaction.metadata": metadata}
    config.write_text(json.dumps({"name": "shop", "config": properties}))
    run = TaskRun(tmp_path, config, f"files:{out}", [sqlserver.server.port])
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
    sqlserver.pause()
    sqlserver.capture_all()
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    lines = committed_lines(out)
    for table in TABLES:
        of_table = lines[f"s.{sqlserver.name}.dbo.{table}"]
        assert_once_and_in_order(of_table)
        found = {row["id"]: (row["name"], row["amount"]) for row in folded(of_table).values()}
        server = sqlserver.sql(f"SELECT id, name, CAST(amount AS varchar(20)) FROM {table}")
        assert found == {key: (name, amount) for key, name, amount in server}
    if metadata == "true":
        assert_counted(lines, [f"{sqlserver.name}.dbo.{table}" for table in TABLES])
    print(f"{writer.transactions} transactions, {sum(map(len, lines.values()))} records, {KILLS} kills")


def files(out: Path) -> int:
    """How many files are committed."""
    return sum(1 for _ in out.glob("s.*/*.jsonl"))


def wait_for_more(out: Path, seen: int, run: TaskRun) -> None:
    """Until another one is."""
    deadline = time.monotonic() + SECONDS
    while files(out) <= seen:
        assert run.ended() is None, run.log.read_text()
        assert time.monotonic() < deadline, "nothing new was committed"
        time.sleep(0.02)
