"""Debezium in Kafka Connect with Confluent's Avro converter, and tailrace with the same configuration: the same schemas, ids and bytes.

Then tailrace goes on in the topics that Debezium began, and no schema gets a new version.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.measuring import connectors
from tests.differential import cases, debezium, jars
from tests.differential.avro.confluents_packages import confluents_packages
from tests.differential.avro.equal_bytes import Bytes
from tests.differential.avro.sides import PREFIX, Side, run_connect, run_tailrace, side

from support.every_scenario import only_with_all
from tailrace_standins.servers.debezium_server_jars import CONFLUENT, debezium_server_jars
from tailrace_standins.servers.java_jars import Unavailable
from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.sqlserver.cdc import lsn

pytestmark = [pytest.mark.debezium, pytest.mark.kafka, pytest.mark.registry, pytest.mark.slow]
MARKER = f"{PREFIX}.tailrace_marker.marker"
ORDERS = (
    "CREATE TABLE d_avro.orders (id INT PRIMARY KEY, `who-buys` VARCHAR(40) DEFAULT 'nobody', total DECIMAL(9,2), "
    "paid TINYINT(1) NOT NULL DEFAULT 0, at DATETIME(6), kind ENUM('a','b'), doc JSON, raw VARBINARY(20))"
)
SHOP = (
    "CREATE DATABASE d_avro",
    "CREATE TABLE tailrace_marker.marker (id INT PRIMARY KEY AUTO_INCREMENT)",
    ORDERS,
    "CREATE TABLE d_avro.`no key` (n BIGINT UNSIGNED, f DOUBLE)",
    "INSERT INTO d_avro.orders VALUES (1, 'größe 😀', 12.50, 1, '2026-03-01 12:00:00.123456', 'b', '{\"a\": [1, null]}', x'00ff')",
    "INSERT INTO d_avro.orders VALUES (2, NULL, NULL, 0, NULL, NULL, NULL, NULL)",
    "INSERT INTO d_avro.`no key` VALUES (18446744073709551615 DIV 4, -0.1)",
    "UPDATE d_avro.orders SET id = 3, total = -0.01 WHERE id = 2",
    "ALTER TABLE d_avro.orders ADD COLUMN note TEXT, DROP COLUMN raw",
    "INSERT INTO d_avro.orders (id, note) VALUES (4, 'x')",
    "DELETE FROM d_avro.orders WHERE id = 1",
    "COMMIT",
)
LATER = (
    "INSERT INTO d_avro.orders (id, note) VALUES (5, 'tailrace has it')",
    "UPDATE d_avro.orders SET total = 7 WHERE id = 5",
    "DELETE FROM d_avro.orders WHERE id = 4",
    "INSERT INTO d_avro.`no key` VALUES (7, NULL)",
    "COMMIT",
)


@pytest.fixture
def sides() -> Iterator[tuple[Side, Side]]:
    """Debezium's and tailrace's."""
    try:
        jars.debezium_jars()
        debezium_server_jars(CONFLUENT)
        with side() as theirs, side() as ours:
            yield theirs, ours
    except (Unavailable, jars.UnavailableError) as reason:
        pytest.skip(f"no Kafka Connect with an Avro converter: {reason}")


class Mysql:
    """A MySQL whose log both read from the same position."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        folder.mkdir()
        cases.run_all(server.port, cases.FIRST)
        self.offset = dict(cases.binlog_position(server.port))
        self.properties = debezium.base_properties(server.port, PREFIX, folder)
        self.own = without_places(self.properties)

    def play(self, statements):
        cases.run_all(self.server.port, statements)
        cases.run_all(self.server.port, ["INSERT INTO tailrace_marker.marker VALUES ()", "COMMIT"])

    def debezium(self, side, marks=1):
        connectors.debezium_begins_at(self.properties, self.folder, self.offset)
        run_connect(side, side.properties(self.properties), self.folder, lambda: side.count(MARKER) >= marks)


@pytest.mark.mysql
def test_of_mysql_schemas_ids_and_bytes_are_those_of_debezium_and_a_take_over_makes_no_new_version(sides, tmp_path):
    theirs, ours = sides
    with MySqlServer() as server:
        # GIVEN changes that Debezium has delivered
        mysql = Mysql(server, tmp_path / "debezium")
        mysql.play(SHOP)
        mysql.debezium(theirs)
        # WHEN tailrace delivers the same into a broker and a registry of its own
        (tmp_path / "own").mkdir()
        run_tailrace(ours, ours.properties(mysql.own), tmp_path / "own", "set", json.dumps(mysql.offset))
        # THEN
        assert_equal(theirs, ours)
        # WHEN it takes over Debezium's topics
        registered, delivered = theirs.texts(), len(theirs.records())
        mysql.play(LATER)
        taken_over(theirs, mysql.properties, tmp_path)
        # THEN its records are there, with Debezium's schemas
        assert theirs.texts() == registered
        assert operations(theirs, f"{PREFIX}.d_avro.orders")[-3:] == [("c", 5), ("u", 5), ("d", None)]
        assert len(theirs.records()) == delivered + 6  # with a tombstone, and the marker's row
        assert_confluents_consumer_reads(theirs)


class SqlServer:
    """The stand-in with tables whose changes are captured."""

    TABLES = ("orders", "zz_marker")

    def __init__(self, database, folder):
        self.database, self.folder = database, folder
        folder.mkdir()
        database.sql(
            "CREATE TABLE dbo.orders (id int NOT NULL PRIMARY KEY, [who-buys] nvarchar(40) NULL DEFAULT N'nobody', "
            "total decimal(9, 2) NULL, paid bit NOT NULL DEFAULT 0, at datetime2(6) NULL, raw varbinary(20) NULL)"
        )
        database.sql("CREATE TABLE dbo.zz_marker (id int NOT NULL PRIMARY KEY)")
        for table in self.TABLES:
            database.capture(table)
        self.offset = {database.name: {"lsn": lsn.lsn_text(database.max_lsn()).rstrip("\0")}}
        server = database.server
        self.properties = debezium.stored_in(folder) | {
            "connector.class": jars.SQL_SERVER,
            "topic.prefix": PREFIX,
            "database.hostname": server.host,
            "database.port": str(server.port),
            "database.user": server.user,
            "database.password": server.password,
            "database.names": database.name,
            "database.encrypt": "false",
            "include.schema.changes": "false",
            "snapshot.mode": "no_data",
            "notification.enabled.channels": "log",
        }
        self.own = without_places(self.properties) | {"notification.enabled.channels": ""}
        self.marker = f"{PREFIX}.{database.name}.dbo.zz_marker"

    def play(self, *statements, mark):
        for statement in statements:
            self.database.sql(statement)
        self.database.sql(f"INSERT dbo.zz_marker VALUES ({mark})")
        self.database.capture_all()

    def debezium(self, side, *statements):
        """Debezium begins before the changes."""
        log, played = self.folder / "connect.log", []

        def done():
            if not played and "COMPLETED" in log.read_text():
                self.play(*statements, mark=1)
                played.append(True)
            return bool(played) and side.count(self.marker) >= 1

        run_connect(side, side.properties(self.properties), self.folder, done)


@only_with_all
@pytest.mark.drivers
@pytest.mark.usefixtures("with_driver")
def test_of_sql_server_they_are_as_well(sides, sqlserver_server, tmp_path):
    theirs, ours = sides
    database = sqlserver_server.create_database("d_avro")
    try:
        # GIVEN changes that Debezium has delivered
        captured = SqlServer(database, tmp_path / "debezium")
        captured.debezium(
            theirs,
            "INSERT dbo.orders VALUES (1, N'größe 😀', 12.50, 1, '2026-03-01 12:00:00.123456', 0x00ff), (2, NULL, NULL, 0, NULL, NULL)",
            "UPDATE dbo.orders SET id = 3, total = -0.01 WHERE id = 2",
            "DELETE dbo.orders WHERE id = 1",
        )
        # WHEN tailrace delivers the same
        (tmp_path / "own").mkdir()
        run_tailrace(ours, ours.properties(captured.own), tmp_path / "own", "set", json.dumps(captured.offset))
        # THEN
        assert_equal(theirs, ours)
        # WHEN it takes over
        registered = theirs.texts()
        captured.play("INSERT dbo.orders (id) VALUES (5)", "DELETE dbo.orders WHERE id = 3", mark=2)
        taken_over(theirs, captured.properties | {"notification.enabled.channels": ""}, tmp_path)
        # THEN
        assert theirs.texts() == registered
        assert operations(theirs, f"{PREFIX}.d_avro.dbo.orders")[-2:] == [("c", 5), ("d", None)]
        assert_confluents_consumer_reads(theirs)
    finally:
        database.drop()


def without_places(properties):
    """Properties of a connector that keeps its state in its target."""
    return {name: value for name, value in properties.items() if not name.startswith(("offset.", "schema.history."))}


def taken_over(side: Side, properties, folder: Path):
    """tailrace goes on from Debezium's offsets to the end of the log."""
    offsets = f"file:{properties['offset.storage.file.filename']}"
    run_tailrace(side, side.properties(properties), folder, "import", "--from", offsets)


def assert_equal(theirs: Side, ours: Side):
    """The same schemas under the same ids, and records of the same bytes."""
    assert ours.texts() == theirs.texts()
    assert ours.texts()
    assert Bytes(ours).of(ours.records()) == Bytes(theirs).of(theirs.records())
    assert ours.records()


def operations(side: Side, topic):
    """Operation and new id of each change of a topic, as fastavro reads them with the registry's schemas."""
    values = [Bytes(side).data(each.value) for each in side.records() if each.topic == topic and each.value]
    return [(value["op"], value["after"] and value["after"]["id"]) for value in values]


def assert_confluents_consumer_reads(side: Side):
    """The deserializer of `confluent-kafka[avro]` reads what fastavro reads. It is the last thing that a test asks."""
    try:
        packages = confluents_packages()
    except Unavailable as reason:
        pytest.skip(f"all but Confluent's consumer was compared: {reason}")
    messages = [part for each in side.records() for part in (each.key, each.value) if part is not None]
    command = [sys.executable, str(Path(__file__).with_name("confluents_reader.py")), side.registry.confluent_url]
    lines = "".join(f"{message.hex()}\n" for message in messages)
    environment = os.environ | {"PYTHONPATH": str(packages)}
    done = subprocess.run(
        command, input=lines, capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [repr(side.schemas.decoded(message)) for message in messages]
