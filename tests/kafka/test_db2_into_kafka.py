"""`tailrace run --to kafka:` with a Db2: the tables, then their changes, by four lanes, over a kill and a stop."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.captured_shops import Db2Shop, plain_properties
from support.kafka_reading import read_topics
from support.live_run import LiveRun
from support.meanwhile import meanwhile
from support.snapshotting import linear
from tailrace_standins.servers.db2_server import Database

TABLES = [f"T{number}" for number in range(5)]
ROWS = 200
LANES = "4"
SECONDS = 300
pytestmark = [pytest.mark.drivers, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


class Delivered:
    """What consumers see that read what is committed."""

    def __init__(self, address: str, prefix: str) -> None:
        self._address, self._prefix = address, prefix

    def events(self, table: str) -> list[tuple[Any, dict[str, Any]]]:
        """Key and value of a table's events, without tombstones."""
        found = read_topics(self._address, [f"{self._prefix}.S.{table}"])
        return [(each.key, json.loads(each.value)) for each in found if each.value is not None]

    def count(self) -> int:
        """How many records there are of all tables."""
        return len(read_topics(self._address, {f"{self._prefix}.S.{table}" for table in TABLES}))

    def table(self, table: str) -> dict[int, int]:
        """The rows after all events, each of which fits what was there before it."""
        events = self.events(table)
        reads = [each for each in events if each[1]["op"] == "r"]
        assert events[: len(reads)] == reads
        return {row["ID"]: row["N"] for row in linear(reads, events[len(reads) :]).values()}


@contextmanager
def writing(shop: Db2Shop, chance: random.Random) -> Iterator[None]:
    """Transactions over all tables, of rows that come, change, move and go."""
    session, numbers = shop.session(), iter(range(ROWS, 1_000_000))

    def change() -> str:
        table, some, new = chance.choice(TABLES), chance.randrange(ROWS), next(numbers)
        return chance.choice(
            (
                f"INSERT INTO S.{table} VALUES ({new}, {new})",
                f"UPDATE S.{table} SET N = N + 1 WHERE ID BETWEEN {some} AND {some + 5}",
                f"UPDATE S.{table} SET ID = {new} WHERE ID = {some}",
                f"DELETE FROM S.{table} WHERE ID = {some}",
            )
        )

    with meanwhile(lambda: shop.run(session, *(change() for _ in range(chance.randint(1, 4)))), pause=0.02):
        yield
    session.close()


def until(run: LiveRun, condition: Callable[[], bool]) -> None:
    """Wait while a run works."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert run.ended() is None, run.log.read_text()
        assert time.monotonic() < deadline, run.log.read_text()
        time.sleep(0.3)


def test_tables_and_their_changes_are_there_once_behind_a_kill_and_a_stop(
    db2: Database, kafka_broker: Any, tmp_path: Path
) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    shop, prefix = Db2Shop(db2), f"db2_{seed}"
    for table in TABLES:
        shop.sql(
            f"CREATE TABLE S.{table} (ID INTEGER NOT NULL PRIMARY KEY, N INTEGER)",
            f"INSERT INTO S.{table} VALUES {', '.join(f'({row}, 0)' for row in range(ROWS))}",
        )
    shop.capture(*TABLES)
    shop.resume()
    more = {"topic_prefix": prefix, "snapshot_mode": "initial", "tasks_max": LANES, "snapshot_max_threads": LANES}
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"name": prefix, "config": plain_properties(shop, **more)}))
    delivered = Delivered(kafka_broker.address, prefix)
    run = LiveRun(tmp_path, config, f"kafka:{kafka_broker.address}", [shop.port])
    try:
        with writing(shop, random.Random(seed)):
            run.start()
            until(run, lambda: delivered.count() > ROWS * len(TABLES) + 100)
            run.kill_all()
            seen = delivered.count()
            run.start()
            until(run, lambda: delivered.count() > seen + 100)
        assert run.stop() == 0, run.log.read_text()
        shop.pause()
        shop.capture_all()
        run.start_to_the_head()
        assert run.wait(SECONDS) == 0, run.log.read_text()
    finally:
        run.kill_all()
    for table in TABLES:
        assert delivered.table(table) == dict(shop.sql(f"SELECT ID, N FROM S.{table}")), f"{table}, seed {seed}"
