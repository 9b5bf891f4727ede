"""Rows in the log that lack columns."""

import base64

import pytest

from support.reading import begin, read_on
from tailrace.errors import LogFormatError

pytestmark = pytest.mark.mysql


@pytest.mark.parametrize("placeholder", ["__debezium_unavailable_value", "nicht da"])
def test_large_values_that_are_missing_get_the_placeholder(mysql_server, database, placeholder):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, a INT, b BLOB, c TEXT)", database)
    settings, read = begin(mysql_server, table_include_list=f"{database}.t", unavailable_value_placeholder=placeholder)
    mysql_server.sql(
        "SET SESSION binlog_row_image = 'NOBLOB'; INSERT INTO t VALUES (1, 1, 'b', 'c'); UPDATE t SET a = 2", database
    )
    inserted, updated = (payload["after"] for payload in read_on(settings, read).payloads(f"test.{database}.t"))
    assert inserted == {"id": 1, "a": 1, "b": "Yg==", "c": "c"}
    assert updated == {"id": 1, "a": 2, "b": base64.b64encode(placeholder.encode()).decode(), "c": placeholder}


def test_json_that_is_missing_gets_it_too(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, d JSON)", database)
    settings, read = begin(mysql_server, table_include_list=f"{database}.t")
    mysql_server.sql("INSERT INTO t VALUES (1, '{}'); SET SESSION binlog_row_image = 'MINIMAL'; UPDATE t SET id = 2", database)
    told = read_on(settings, read).payloads(f"test.{database}.t")
    assert told[-1]["after"] == {"id": 2, "d": "__debezium_unavailable_value"}


def test_other_columns_that_are_missing_stop_it(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)", database)
    settings, read = begin(mysql_server, table_include_list=f"{database}.t")
    mysql_server.sql("INSERT INTO t VALUES (1, 1, 1); SET SESSION binlog_row_image = 'MINIMAL'; UPDATE t SET a = 2", database)
    with pytest.raises(LogFormatError, match="the log lacks the column"):
        read_on(settings, read)
