"""A server that counts its GTIDs from a lower number again gives numbers that were read to transactions that were not."""

import os
import shutil
from pathlib import Path

import pytest

from support.one_table import DATABASE, ONLY_IT, end, ids, insert, make_table, reset
from support.reading import begin, fresh, read_on
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import PositionLostError
from tailrace_standins.servers.mysql_server import MySqlServer

AGAIN = "logged others with these numbers since"
ELSEWHERE = "11111111-2222-3333-4444-555555555555"

pytestmark = pytest.mark.mysql


@pytest.fixture
def source():
    with MySqlServer() as started:
        make_table(started)
        yield started


@pytest.fixture(scope="module")
def lasting():
    with MySqlServer() as started:
        yield started


def begun_in_a_new_log(source, *numbers):
    """A reading of a log that has nothing else."""
    make_table(source)
    reset(source)
    settings, read = begin(source, **ONLY_IT)
    insert(source, *numbers)
    return settings, read_on(settings, read)


def require_refused(settings, read):
    with pytest.raises(PositionLostError, match=rf"{read.progress.restart['file']}:\d+, .*{AGAIN}.*snapshot\.mode=when_needed"):
        read_on(settings, fresh(read))
    with pytest.raises(PositionLostError, match=AGAIN):
        MySqlConnector(settings).require_retained(read.progress)


@pytest.mark.parametrize("written", [9, 120], ids=["shorter", "longer"])
def test_a_log_that_was_reset_is_refused_when_its_numbers_have_caught_up(lasting, written):
    settings, read = begun_in_a_new_log(lasting, *range(8))
    lasting.sql("BEGIN; INSERT INTO t SELECT 100 + a.id + 8 * b.id, REPEAT('v', 300) FROM t AS a, t AS b; COMMIT", DATABASE)
    read_on(settings, read)
    reset(lasting)
    insert(lasting, *range(1000, 1000 + written))
    assert GtidSet.parse(read.progress.restart["gtids"]).is_subset(GtidSet.parse(lasting.variable("gtid_executed")))
    assert (end(lasting)[1] > read.progress.restart["pos"]) == (written > 20)
    require_refused(settings, read)


def test_and_when_its_files_have_other_numbers(lasting):
    settings, read = begun_in_a_new_log(lasting, *range(5))
    lasting.sql("FLUSH BINARY LOGS")
    insert(lasting, 10)
    read_on(settings, read)
    reset(lasting)
    insert(lasting, *range(100, 120))
    require_refused(settings, read)


def test_and_when_its_first_files_are_gone(lasting):
    settings, read = begun_in_a_new_log(lasting, *range(20))
    reset(lasting)
    for n in range(3):
        insert(lasting, *range(100 + 9 * n, 109 + 9 * n))
        lasting.sql("FLUSH BINARY LOGS")
    lasting.sql(f"PURGE BINARY LOGS TO '{lasting.sql('SHOW BINARY LOGS')[1][0]}'")
    require_refused(settings, read)


def test_a_state_of_before_is_refused_also_where_a_backup_names_its_gtids(lasting):
    settings, read = begun_in_a_new_log(lasting, *range(4))
    executed = lasting.variable("gtid_executed")
    insert(lasting, *range(4, 8))
    read_on(settings, read)
    reset(lasting)
    lasting.sql(f"SET GLOBAL gtid_purged = '{executed}'")
    insert(lasting, *range(100, 120))
    require_refused(settings, read)


def test_a_restored_data_directory_is_refused_when_its_numbers_have_caught_up(source, tmp_path):
    data = Path(source.variable("datadir"))
    settings, read = begin(source, **ONLY_IT)
    insert(source, 1)
    source.stop()
    shutil.copytree(data, tmp_path / "backup", ignore=shutil.ignore_patterns("*.sock*"))
    source.start()
    insert(source, *range(2, 8))
    read_on(settings, read)
    source.stop()
    shutil.rmtree(data)
    shutil.copytree(tmp_path / "backup", data)
    source.start()
    insert(source, *range(100, 120))
    require_refused(settings, read)


def test_a_log_that_lost_its_end_is_read_on_if_its_numbers_stay_taken(source):
    """The tables still have the transactions, so their GTIDs are executed; the file's end is gone."""
    settings, read = begin(source, **ONLY_IT)
    insert(source, *range(1, 10))
    read_on(settings, read)
    file, pos = end(source)
    begins = [int(event[1]) for event in source.sql(f"SHOW BINLOG EVENTS IN '{file}'") if event[2] == "Gtid"]
    log = Path(source.variable("datadir")) / file
    source.stop()
    os.truncate(log, begins[-4])
    source.start()
    assert {row[0]: int(row[1]) for row in source.sql("SHOW BINARY LOGS")}[file] < pos
    insert(source, *range(100, 120))
    assert ids(read_on(settings, read)) == [*range(1, 10), *range(100, 120)]
    assert read.progress.restart["era"] == 1


def test_numbers_of_other_servers_may_come_once_more(lasting):
    """A replica that is made anew gets the same transactions again, under the same GTIDs."""
    make_table(lasting)
    reset(lasting)
    settings, read = begin(lasting, **ONLY_IT)
    replicate(lasting, *range(1, 6))
    read_on(settings, read)
    reset(lasting)
    lasting.sql("SET sql_log_bin = 0; DELETE FROM t", DATABASE)
    replicate(lasting, *range(1, 9))
    assert ids(read_on(settings, read)) == [*range(1, 9)]
    assert read.progress.restart["era"] == 1


def replicate(server, *numbers):
    for n in numbers:
        server.sql(f"SET gtid_next = '{ELSEWHERE}:{n}'; INSERT INTO t VALUES ({n}, 'v')", DATABASE)
