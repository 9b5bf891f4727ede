"""Random work on a Db2 read as a DataFrame: batches of any size, each read again later, by processes of their own.

The work is that of `tests/connectors/db2/test_db2_random_workloads.py`: transactions over tables of random types, captured late and
in halves, tables that get columns and new registrations, pruning of what was read.
"""

from __future__ import annotations

import os
import random

import pytest
from tests.connectors.db2.test_db2_random_workloads import check, run
from tests.connectors.db2.workloads import Reader, Workload

from support.change_table_reading import PLAIN
from support.random_frames import FrameReading
from tailrace_standins.servers.db2_server import Database

pytestmark = [pytest.mark.drivers, pytest.mark.slow]
EXAMPLES = int(os.environ.get("TAILRACE_TEST_FRAMES", "1"))  # each takes a few seconds
TYPES = {"decimal_handling_mode": "string", "tailrace_registered_anew": "accept"}


class FrameReader(FrameReading, Reader):
    """A stream of a Db2."""


@pytest.mark.parametrize("number", range(EXAMPLES))
def test_every_batch_tells_its_part_of_what_was_committed_whenever_it_is_read(db2: Database, number: int) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    work = Workload(db2, seed)
    reader = FrameReader(db2.properties(**PLAIN, **TYPES, provide_transaction_metadata="true"))
    run(work, [reader])
    for table in work.tables:
        check(work, reader, table, f"{table}, seed {seed}")
    assert [count for count, _ in reader.ends()] == [sum(map(len, each.values())) for each in work.transactions]
