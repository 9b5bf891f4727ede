"""Primary keys that the server adds to tables without one (`sql_generate_invisible_primary_key`)."""

import pytest

from support.mysql_settings import settings_for
from support.reading import read_on
from support.snapshotting import keyed, linear, taken

pytestmark = pytest.mark.mysql
HIDDEN = "SET GLOBAL show_gipk_in_create_table_and_information_schema"
MADE = "SET SESSION sql_generate_invisible_primary_key = ON; CREATE TABLE {} (v INT); INSERT INTO {} VALUES (7), (7), (8)"


@pytest.fixture(params=["ON", "OFF"])
def shown(request, mysql_server):
    """Whether the server shows them in SHOW CREATE TABLE and the catalogue; the log has them anyway."""
    mysql_server.sql(f"{HIDDEN} = {request.param}")
    yield
    mysql_server.sql(f"{HIDDEN} = ON")


@pytest.mark.usefixtures("shown")
def test_rows_have_them_and_are_told_apart_by_them(mysql_server, database):
    settings = settings_for(
        mysql_server,
        database_include_list=database,
        snapshot_mode="initial",
        key_converter_schemas_enable=False,
        value_converter_schemas_enable=False,
    )
    mysql_server.sql(MADE.format("t", "t"), database)
    snapshot = taken(settings)
    topic = f"test.{database}.t"
    assert [(row["my_row_id"], row["v"]) for row in snapshot.rows(topic)] == [(1, 7), (2, 7), (3, 8)]
    mysql_server.sql("UPDATE t SET v = 9 WHERE my_row_id = 2; DELETE FROM t WHERE v = 8", database)
    mysql_server.sql(MADE.format("s", "s"), database)
    then = read_on(settings, snapshot.then())
    table = linear(keyed(snapshot.topics[topic]), keyed(then.topics[topic]))
    assert [row["v"] for row in table.values()] == [7, 9]
    assert [value["after"]["my_row_id"] for _, value in keyed(then.topics[f"test.{database}.s"])] == [1, 2, 3]
