"""Initial snapshots of a real server: as of one position, whatever is written meanwhile, wherever they are interrupted."""

import pytest

from support.mysql_settings import settings_for
from support.reading import read_on
from support.snapshotting import keyed, linear, taken
from support.writing import KEYS, SEED, Table
from tailrace.connectors.mysql.snapshots import source
from tailrace.connectors.shared.snapshots import chunk_sizes
from tailrace.errors import StructureError

pytestmark = pytest.mark.mysql


@pytest.fixture
def settings(mysql_server, database):
    return settings_for(mysql_server, database_include_list=database, snapshot_mode="initial", **NO_SCHEMAS)


NO_SCHEMAS = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False}


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)


@pytest.fixture(params=["mysql_server", "mysql_minimal"])
def own(request):
    """A server with all metadata or with few, and a database of it."""
    server, name = request.getfixturevalue(request.param), f"online_{SEED}"
    server.sql(f"DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name}")
    yield server, name
    server.sql(f"DROP DATABASE {name}")


@pytest.fixture
def always_split(monkeypatch):
    """Also small tables are read by all lanes."""
    from tailrace.connectors.mysql.snapshots import splitting

    real = splitting.split_points
    monkeypatch.setattr(splitting, "split_points", lambda *a: real(*a, least_rows=10))
    monkeypatch.setattr(splitting, "LEAST_ROWS", 10)


def test_a_quiet_table_is_read_as_it_is(mysql_server, database, settings):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), d DECIMAL(8,2))", database)
    mysql_server.sql("INSERT INTO t VALUES (1, 'one', 1.5), (2, NULL, -2), (3, 'Ünïcode', 0)", database)
    snapshot = taken(settings)
    topic = f"test.{database}.t"
    assert [(row["id"], row["v"]) for row in snapshot.rows(topic)] == [(1, "one"), (2, None), (3, "Ünïcode")]
    assert snapshot.marks(topic) == ["first", "true", "last"]
    assert {value["op"] for value in snapshot.payloads(topic)} == {"r"}
    assert snapshot.progress.snapshot == {"lanes": 1, "done": True}


def test_the_source_block_has_the_position_that_the_snapshot_is_of(mysql_server, database, settings):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)", database)
    snapshot = taken(settings, between=lambda: mysql_server.sql("INSERT INTO t SELECT MAX(id) + 1 FROM t", database))
    (value,) = snapshot.payloads(f"test.{database}.t")
    told = value["source"]
    assert (told["file"], told["pos"]) == (snapshot.progress.restart["file"], snapshot.progress.restart["pos"])
    assert (told["server_id"], told["row"], told["gtid"], told["thread"], told["query"]) == (0, 0, None, None, None)


def test_each_table_marks_its_first_and_its_last_row(mysql_server, database, settings):
    for name in "abc":
        mysql_server.sql(f"CREATE TABLE {name} (id INT PRIMARY KEY)", database)
    mysql_server.sql("INSERT INTO a VALUES (1), (2), (3); INSERT INTO c VALUES (1), (2), (3)", database)
    snapshot = taken(settings)
    assert snapshot.marks(f"test.{database}.a") == ["first", "true", "last_in_data_collection"]
    assert snapshot.marks(f"test.{database}.b") == []
    assert snapshot.marks(f"test.{database}.c") == ["first_in_data_collection", "true", "last"]


@pytest.mark.usefixtures("small_chunks", "always_split")
@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("stop_every", [None, 2, 5])
@pytest.mark.parametrize("key", ["INT", "VARCHAR(20)"])
def test_rows_are_as_of_one_position_while_others_write(mysql_server, database, settings, lanes, stop_every, key):
    """GIVEN a writer that inserts, updates, deletes and moves keys, WHEN a snapshot is taken in small chunks by lanes that
    stop again and again, THEN it and the log after it are the table's history without a break."""
    assert_exact(Table(mysql_server, database, key), settings, lanes, stop_every)


@pytest.mark.usefixtures("small_chunks", "always_split")
@pytest.mark.parametrize("key", KEYS)
def test_so_they_are_by_keys_of_every_kind(mysql_server, database, settings, key):
    assert_exact(Table(mysql_server, database, key), settings, lanes=2, stop_every=2)


def assert_exact(table, settings, lanes, stop_every):
    with table.written() as writer:
        snapshot = taken(settings, lanes, stop_every, between=writer.wait_for_more)
    assert snapshot.waves > 10
    read = read_on(settings, snapshot.then())
    topic = f"test.{table.database}.t"
    final = linear(keyed(snapshot.topics[topic]), keyed(read.topics[topic]))
    assert sorted(row["n"] for row in final.values()) == table.numbers(), f"seed {SEED}"


def test_once_it_is_read_no_right_to_select_is_needed(mysql_server, database):
    user = f"u_{database[-10:]}"
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2)", database)
    mysql_server.sql(f"CREATE USER {user} IDENTIFIED BY 'p'; GRANT REPLICATION SLAVE, REPLICATION CLIENT, SELECT ON *.* TO {user}")
    given = {"database_user": user, "database_password": "p", "database_include_list": database}
    settings = settings_for(mysql_server, **given, snapshot_mode="initial", **NO_SCHEMAS)
    snapshot = taken(settings)
    mysql_server.sql(f"REVOKE SELECT ON *.* FROM {user}; INSERT INTO {database}.t VALUES (3)")
    read = read_on(settings, snapshot.then())
    assert [row["id"] for row in snapshot.rows(f"test.{database}.t")] == [1, 2]
    assert [value["after"]["id"] for value in read.payloads(f"test.{database}.t")] == [3]


def test_only_the_included_tables_are_read(mysql_server, database):
    mysql_server.sql("CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1)", database)
    mysql_server.sql("CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (1)", database)
    included = {"snapshot_include_collection_list": rf"{database}\.b", "database_include_list": database}
    settings = settings_for(mysql_server, **included, snapshot_mode="initial", **NO_SCHEMAS)
    snapshot = taken(settings)
    assert [topic for topic in snapshot.topics if topic.endswith((".a", ".b"))] == [f"test.{database}.b"]
    mysql_server.sql("INSERT INTO a VALUES (2)", database)
    assert len(read_on(settings, snapshot.then()).topics[f"test.{database}.a"]) == 1


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("ALTER TABLE t ADD COLUMN w INT DEFAULT 7", "t"),
        ("ALTER TABLE t DROP COLUMN v", "t"),
        ("TRUNCATE TABLE t", "t"),
        ("DROP TABLE t", "t"),
        ("DROP TABLE t; CREATE TABLE t (k INT PRIMARY KEY, other TEXT); INSERT INTO t VALUES (5, 'five')", "t"),
    ],
)
def test_ddl_in_the_midst_of_a_table_is_gone_along_with(mysql_server, database, settings, statement, table):
    mysql_server.sql("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(20))", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"({n}, 'v{n}')" for n in range(40)), database)
    steps = iter(range(1000))

    def alter_once():
        if next(steps) == 4:
            mysql_server.sql(statement, database)

    snapshot = taken(settings, between=alter_once)
    read = read_on(settings, snapshot.then())
    reads = keyed(snapshot.topics[f"test.{database}.{table}"])
    assert len({key for key, _ in reads}) == len(reads), "no row is read twice"
    told = {row["k"]: row for row in (value["after"] for _, value in reads)}
    assert list(told) == list(range(len(told)))
    if "DROP TABLE" in statement or "TRUNCATE" in statement:
        assert 0 < len(told) < 40
    else:
        assert len(told) == 40
    assert [value["after"] for value in read.payloads(f"test.{database}.{table}") if value] == (
        [{"k": 5, "other": "five"}] if "five" in statement else []
    )


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("rows", ["", "INSERT INTO t VALUES (90, 'new'); DELETE FROM t WHERE k = 3; "])
@pytest.mark.parametrize("after", ["", "ALTER TABLE t CHANGE x y VARCHAR(20)"])
def test_a_table_that_comes_under_the_name_of_one_that_is_read_is_gone_on_with(own, rows, after):
    """An online schema change whose table was made before, of which the history was not to know."""
    server, database = own
    server.sql("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(20)); CREATE TABLE _t_gho (k INT PRIMARY KEY, x VARCHAR(20))", database)
    for table in ("t", "_t_gho"):
        server.sql(f"INSERT INTO {table} VALUES " + ", ".join(f"({n}, 'v{n}')" for n in range(40)), database)
    only = {"schema_history_internal_store_only_captured_tables_ddl": True, "snapshot_mode": "initial"}
    settings = settings_for(server, table_include_list=f"{database}.t", **only, **NO_SCHEMAS)
    steps = iter(range(1000))

    def cut_over_once():
        step = next(steps)
        if step == 3:
            server.sql(f"RENAME TABLE t TO _t_del, _t_gho TO t; {rows}", database)
        elif step == 5 and after:
            server.sql(after, database)

    snapshot = taken(settings, between=cut_over_once)
    reads = keyed(snapshot.topics[f"test.{database}.t"])
    assert sorted(value["after"]["k"] for _, value in reads) == list(range(40))


LABELS = ", ".join(f"'{n}'" for n in range(40))
CHANGED_KEYS = {
    "its columns, while it waits": (
        "k INT, tenant INT NOT NULL DEFAULT 1, PRIMARY KEY (k)",
        "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (tenant, k); INSERT INTO t VALUES (7, 2)",
        2,
    ),
    "its columns, in its midst": (
        "k INT, tenant INT NOT NULL DEFAULT 1, PRIMARY KEY (k)",
        "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (tenant, k); INSERT INTO t VALUES (7, 2)",
        9,
    ),
    "its collation only, in its midst": (
        "k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci PRIMARY KEY",
        "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        9,
    ),
    "the numbers of an ENUM's labels": (
        f"k ENUM({LABELS}) PRIMARY KEY",
        f"ALTER TABLE t MODIFY k ENUM('new', {LABELS})",
        9,
    ),
}


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 6])
@pytest.mark.parametrize("what", CHANGED_KEYS)
def test_a_key_that_no_longer_orders_the_rows_as_before_ends_it(own, monkeypatch, what, stop_every):
    """Rows would be left out or come twice: bounds of the old key mean others now."""
    server, database = own
    monkeypatch.setattr(source, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(source, "ATTEMPTS", 2)  # which a new reader begins to count anew
    columns, statement, step = CHANGED_KEYS[what]
    server.sql(f"CREATE TABLE a (k INT PRIMARY KEY); CREATE TABLE t ({columns})", database)
    for table in "at":
        server.sql(f"INSERT INTO {table} (k) VALUES " + ", ".join(f"('{n}')" for n in range(40)), database)
    settings = settings_for(server, database_include_list=database, snapshot_mode="initial", **NO_SCHEMAS)
    steps = iter(range(1000))

    def alter_once():
        if next(steps) == step:
            server.sql(statement, database)

    with pytest.raises(StructureError, match=rf"{database}\.t: the key k \(index PRIMARY\), by which the snapshot reads it, was changed"):
        taken(settings, stop_every=stop_every, between=alter_once)


@pytest.mark.usefixtures("small_chunks")
def test_another_collation_of_what_is_no_key_does_not(own):
    server, database = own
    server.sql("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_0900_ai_ci)", database)
    server.sql("INSERT INTO t VALUES " + ", ".join(f"({n}, 'v{n}')" for n in range(40)), database)
    settings = settings_for(server, database_include_list=database, snapshot_mode="initial", **NO_SCHEMAS)
    steps = iter(range(1000))

    def alter_once():
        if next(steps) == 4:
            server.sql("ALTER TABLE t MODIFY v VARCHAR(20) COLLATE utf8mb4_bin", database)

    snapshot = taken(settings, between=alter_once)
    assert [row["k"] for row in snapshot.rows(f"test.{database}.t")] == list(range(40))
