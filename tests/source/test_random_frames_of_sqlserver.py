"""Random work on a SQL Server read as a DataFrame: batches of any size, each read again later, by processes of their own.

The work is that of `tests/connectors/sqlserver/test_random_workloads.py`: transactions over tables of random types, captured late,
tables that get columns and second instances, clean-up of what was read.
"""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql.streaming.datasource import ReadMaxBytes
from tests.connectors.sqlserver.test_random_workloads import POOLS, check, run
from tests.connectors.sqlserver.workloads import Reader, Workload

from support.streaming_frames import ALL, Offset, next_batch, read
from tailrace.source.cdc_source import INITIAL
from tailrace_standins.servers.sqlserver_server import Database, Server

pytestmark = [pytest.mark.drivers, pytest.mark.slow]
EXAMPLES = int(os.environ.get("TAILRACE_TEST_FRAMES", "2"))  # each takes a few seconds


class FrameReader(Reader):
    """A stream: what its batches gave."""

    def __init__(self, database: Database, **more: str) -> None:
        plain = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}
        self.options = database.properties(**plain, **more)
        self.rows: list[dict[str, Any]] = []
        self.last: tuple[Offset, Offset, list[dict[str, Any]]] | None = None
        self.at = next_batch(self.options, INITIAL)
        read(self.options, INITIAL, self.at)

    def read_some(self, chance: random.Random) -> None:
        """A batch of any size; the last one is read again before it."""
        self.again()
        self.take(ReadMaxBytes(chance.choice((1, 300, 3000, 1 << 20))))

    def read_all(self) -> None:
        """To the head of now; then what was read may be cleaned up."""
        self.again()
        while self.take(ALL):
            pass
        self.last = None

    def take(self, limit: Any) -> bool:
        """The next batch; whether there is one."""
        end = next_batch(self.options, self.at, limit)
        if end == self.at:
            return False
        found = read(self.options, self.at, end)
        self.rows += found
        self.last, self.at = (self.at, end, found), end
        return True

    def again(self) -> None:
        """The last batch gives what it gave."""
        if self.last is not None:
            start, end, found = self.last
            assert read(self.options, start, end) == found

    @property
    def reads(self) -> Any:
        """What it told, as a connector's readers have it."""
        return [self]

    def of(self, table: str) -> list[dict[str, Any]]:
        """The records of topics that end so."""
        return [
            {"key": _json(row["key"]), "value": _json(row["value"]), "position": row["position"]}
            for row in self.rows
            if row["topic"].endswith(table)
        ]


def _json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # one takes seconds: too long to look for a smaller one
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(pools=POOLS, seed=st.integers(0, 2**32))
def test_every_batch_tells_its_part_of_what_was_committed_whenever_it_is_read(
    sqlserver_server: Server, pools: dict[str, list[Any]], seed: int
) -> None:
    database = sqlserver_server.create_database()
    try:
        work = Workload(database, pools, seed)
        reader = FrameReader(database, provide_transaction_metadata="true")
        run(work, [reader])
        for table in work.tables:
            check(work, reader, table, f"{table}, seed {seed}")
        assert [count for count, _ in reader.ends()] == [sum(map(len, each.values())) for each in work.transactions]
    finally:
        database.drop()
