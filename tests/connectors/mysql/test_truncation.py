"""TRUNCATE TABLE in the log, as a change."""

import pyarrow as pa
import pytest

from support.reading import NOW_US, begin, fresh, read_on
from tailrace.connectors.base import LogRange
from tailrace.connectors.mysql.log import Query, QueryKind
from tailrace.connectors.mysql.log.items import Outcome, Transaction
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.truncation import truncation_of
from tailrace.connectors.mysql.typed_rows import row_settings
from tailrace.encoding.rows import RowEncoder, RowSchema
from tailrace.errors import StructureError
from tailrace.events.pipeline import Pipeline


def statement(thread):
    times = {"immediate_us": 1_000_001, "original_us": 1_000_000, "begin_timestamp": 1, "end_timestamp": 1}
    numbers = {"gno": 7, "server_id": 3, "start": 90, "begin": 0, "end": 200, "xid": 0}
    transaction = Transaction(
        origin=None, thread=thread, outcome=Outcome.COMMITTED, last_committed=0, sequence=1, xa=False, **times, **numbers
    )
    return Query(
        file="binlog.000002",
        position=200,
        restart=200,
        start=160,
        database="shop",
        sql="TRUNCATE TABLE orders",
        kind=QueryKind.DEFINITION,
        timestamp=1,
        server_id=3,
        thread=thread,
        error_code=0,
        transaction=transaction,
    )


def test_a_truncation_has_the_thread_of_its_session():
    source = truncation_of([], statement(thread=41), 0, {}, 0).source
    assert source["thread"].vector.data.tolist() == [41]


@pytest.mark.mysql
def test_a_truncation_has_the_thread_that_the_rows_of_its_session_have(mysql_server):
    mysql_server.sql("CREATE DATABASE truncation; CREATE TABLE truncation.t (id INT PRIMARY KEY)")
    settings, start = begin(mysql_server, table_include_list="truncation.t", skipped_operations="none")
    mysql_server.sql("INSERT INTO truncation.t VALUES (1); TRUNCATE TABLE truncation.t")
    row, truncation = read_on(settings, fresh(start)).payloads("test.truncation.t")
    assert (row["op"], truncation["op"]) == ("c", "t")
    assert truncation["source"]["thread"] == row["source"]["thread"] > 0
    mysql_server.sql("DROP DATABASE truncation")


@pytest.mark.mysql
def test_a_truncation_that_can_not_be_encoded_is_not_left_out_as_one_of_an_unknown_structure(mysql_server):
    mysql_server.sql("CREATE DATABASE truncation; CREATE TABLE truncation.t (id INT PRIMARY KEY)")
    settings, start = begin(mysql_server, table_include_list="truncation.t", inconsistent_schema_handling_mode="warn")
    mysql_server.sql("ALTER TABLE truncation.t ADD COLUMN later INT; TRUNCATE TABLE truncation.t")
    connector = MySqlConnector(row_settings(settings))
    range_ = LogRange(start.progress.restart, connector.head(), NOW_US)
    pipeline = Pipeline(RowEncoder(RowSchema(pa.schema([("id", pa.int32())]))))
    with pytest.raises(StructureError, match=r"^the table has columns now that the DataFrame does not have: later"):
        list(connector.read(range_, start.progress, tuple(start.history), pipeline.new_events))
    mysql_server.sql("DROP DATABASE truncation")
