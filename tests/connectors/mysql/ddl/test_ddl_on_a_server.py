"""Random DDL on a real server and in `Structures`: both have to end with the same tables."""

from collections.abc import Iterator
from typing import Any

import pymysql
import pytest
from ddl_sequences import statements
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_columns import of_server, of_structures, primary_key_of_server, unique_keys_of_server

from tailrace.connectors.mysql.ddl.editor import UNIQUE
from tailrace.connectors.mysql.structures import Structures
from tailrace_standins.servers.mysql_server import Server

pytestmark = pytest.mark.mysql
DATABASE = "t_random_ddl"


@pytest.fixture(scope="module")
def cursor(mysql_server: Server) -> Iterator[Any]:
    with mysql_server.connect() as connection, connection.cursor() as found:
        found.execute("SET SESSION sql_mode = ''")
        yield found
        found.execute(f"DROP DATABASE IF EXISTS {DATABASE}")


def fresh(cursor: Any) -> Structures:
    structures = Structures()
    for sql in (f"DROP DATABASE IF EXISTS {DATABASE}", f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4"):
        cursor.execute(sql)
        structures.apply("", sql)
    cursor.execute(f"USE {DATABASE}")
    return structures


def run(cursor: Any, structures: Structures, data: st.DataObject) -> None:
    """Statements that fit what is there by then; what the server takes is applied to the structures."""
    for _ in range(data.draw(st.integers(2, 12), label="statements")):
        existing = {i.name: [c.name for c in table.columns] for i, table in structures.tables.items()}
        sql = data.draw(statements(existing), label="statement")
        try:
            cursor.execute(sql)
        except pymysql.MySQLError:
            continue  # the server refuses it, so it never gets into a log
        structures.apply(DATABASE, sql)


def check(cursor: Any, structures: Structures) -> None:
    cursor.execute("SHOW TABLES")
    assert {t.name for t in structures} == {name for (name,) in cursor.fetchall()}
    for table_id, table in structures.tables.items():
        assert of_structures(table) == of_server(cursor, DATABASE, table_id.name)
        key = primary_key_of_server(cursor, DATABASE, table_id.name)
        if key or UNIQUE not in table.attributes:
            assert list(table.primary_key) == key


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_ddl_gives_the_servers_structures(cursor: Any, data: st.DataObject) -> None:
    structures = fresh(cursor)

    run(cursor, structures, data)

    check(cursor, structures)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_show_create_table_says_gives_the_servers_structures(cursor: Any, data: st.DataObject) -> None:
    structures = fresh(cursor)
    run(cursor, structures, data)

    read_back = structures.copy()
    for table_id in structures:
        cursor.execute(f"SHOW CREATE TABLE `{table_id.name}`")
        read_back.apply(DATABASE, cursor.fetchone()[1])

    check(cursor, read_back)
    for table_id, table in read_back.tables.items():
        keys = unique_keys_of_server(cursor, DATABASE, table_id.name)
        assert list(table.primary_key) in keys or (not table.primary_key and not keys)
