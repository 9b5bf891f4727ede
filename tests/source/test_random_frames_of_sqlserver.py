"""Random work on a SQL Server read as a DataFrame: batches of any size, each read again later, by processes of their own.

The work is that of `tests/connectors/sqlserver/test_random_workloads.py`: transactions over tables of random types, captured late,
tables that get columns and second instances, clean-up of what was read.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.connectors.sqlserver.test_random_workloads import POOLS, check, run
from tests.connectors.sqlserver.workloads import Reader, Workload

from support.change_table_reading import PLAIN
from support.random_frames import FrameReading
from tailrace_standins.servers.sqlserver_server import Server

pytestmark = [pytest.mark.drivers, pytest.mark.slow]
EXAMPLES = int(os.environ.get("TAILRACE_TEST_FRAMES", "1"))  # each takes a few seconds


class FrameReader(FrameReading, Reader):
    """A stream of a SQL Server."""


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
        reader = FrameReader(database.properties(**PLAIN, provide_transaction_metadata="true"))
        run(work, [reader])
        for table in work.tables:
            check(work, reader, table, f"{table}, seed {seed}")
        assert [count for count, _ in reader.ends()] == [sum(map(len, each.values())) for each in work.transactions]
    finally:
        database.drop()
