"""Whether a batch reaches the log's head: then what it has is better committed at once."""

import pytest

from support.reading import batches, begin, fresh
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql.reader import MySqlConnector

ROWS = 60_000


@pytest.fixture
def table(mysql_server, database):
    mysql_server.sql(
        "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(200)); CREATE TABLE source (n INT)", database
    )
    settings, read = begin(mysql_server, table_include_list=f"{database}.t", include_schema_changes=False)
    return settings, read, mysql_server.connect(database)


@pytest.mark.mysql
@pytest.mark.parametrize("lane", [Lane(), Lane(0, 2), Lane(1, 2)])
def test_each_transaction_at_the_head_is_a_batch_that_says_so(table, lane):
    settings, read, connection = table
    reader = batches(settings, fresh(read), lane=lane)
    until_idle(reader)
    with connection.cursor() as cursor:
        for n in range(20):
            cursor.execute("INSERT INTO t (v) VALUES ('one'), ('two')")
            batch = next_moving(reader)
            assert batch.at_head, n
            assert "open_gtid" not in batch.progress.restart
    reader.close()


@pytest.mark.mysql
def test_it_is_not_said_within_a_backlog(table):
    settings, read, connection = table
    with connection.cursor() as cursor:
        cursor.execute(f"SET cte_max_recursion_depth = {ROWS}")
        cursor.execute(
            f"INSERT INTO source WITH RECURSIVE s AS (SELECT 1 n UNION ALL SELECT n + 1 FROM s WHERE n < {ROWS}) SELECT n FROM s"
        )
        for _ in range(4):
            cursor.execute("INSERT INTO t (v) SELECT REPEAT('x', 150) FROM source")
        for _ in range(2000):
            cursor.execute("INSERT INTO t (v) VALUES ('short')")
    head = MySqlConnector(settings).head()
    before_the_end = []
    reader = batches(settings, fresh(read), block_bytes=1 << 16)
    for batch in reader:
        restart = batch.progress.restart
        if (restart["file"], restart["pos"]) >= (head["file"], head["pos"]):
            break
        before_the_end.append(batch.at_head)
    assert batch.at_head
    reader.close()
    assert len(before_the_end) > 100
    assert sum(before_the_end) <= 2  # now and then the server's pieces end where a transaction does


def until_idle(reader):
    for batch in reader:
        if batch.idle:
            assert batch.at_head
            return


def next_moving(reader):
    """The next batch that was read from the log, whether it has records or not."""
    return next(batch for batch in reader if not batch.idle)
