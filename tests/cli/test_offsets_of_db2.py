"""`tailrace offsets import` and `export` of a Db2 connector as people type them, with Kafka Connect's file and its topic."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from support.change_table_reading import Read, afters, begin, read_on
from support.db2_reading import settings_of, write
from tailrace.cli.main import main
from tailrace.connect_offsets.stores import open_store
from tailrace.sinks.files import FilesSink
from tailrace_standins.servers.db2_server import Database

NAME = "shop"
KEY = b'["shop",{"server":"s"}]'
HIGHEST = "ffffffff:ffffffff:ffffffffffffffff"
pytestmark = pytest.mark.drivers


class Place:
    """A connector, the store of Debezium's offset, and a target."""

    def __init__(self, database: Database, folder: Path, store: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.settings = settings_of(database)
        self.sink = FilesSink(folder / "out", "db2 s", "run")
        self._folder, self._capsys, self._place = folder, capsys, store
        self.store = open_store(store, self.settings)
        config = database.properties(key_converter_schemas_enable="false", value_converter_schemas_enable="false")
        (folder / "c.json").write_text(json.dumps({"name": NAME, "config": config}))

    def run(self, command: str) -> tuple[Any, str]:
        """The exit code and what was said."""
        way, to = "--from" if command == "import" else "--into", f"files:{self._folder / 'out'}"
        with pytest.raises(SystemExit) as ended:
            main(["offsets", command, str(self._folder / "c.json"), "--to", to, way, self._place])
        return ended.value.code, "".join(self._capsys.readouterr())

    def goes_on(self) -> Read:
        """What is read from where the target stands."""
        self.sink.claim(1)
        opened = self.sink.open(0)
        assert opened.progress is not None
        return read_on(self.settings, Read(opened.progress, list(opened.history)))


@pytest.fixture(params=["file", pytest.param("topic", marks=pytest.mark.kafka)])
def place(request: pytest.FixtureRequest, db2: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY)")
    db2.register("S.T")
    db2.replication.step()
    store = f"file:{tmp_path / 'offsets.dat'}"
    if request.param == "topic":
        address = request.getfixturevalue("kafka_broker").address
        store = f"kafka:{address}/connect-offsets-{uuid.uuid4().hex[:8]}"
    return Place(db2, tmp_path, store, capsys)


def test_reading_goes_on_within_the_transaction_where_debezium_stood(db2: Database, place: Place) -> None:
    before = begin(place.settings)
    write(db2, *(f"INSERT INTO S.T VALUES ({number})" for number in range(4)))
    write(db2, "INSERT INTO S.T VALUES (9)")
    source = read_on(place.settings, before).of("S.T")[1]["value"]["source"]
    offset = {"commit_lsn": source["commit_lsn"], "change_lsn": source["change_lsn"], "event_serial_no": 1}
    place.store.store(KEY, json.dumps({**offset, "transaction_id": None}).encode())
    code, text = place.run("import")
    assert (code, text.count("\n")) == (0, 1), text
    assert f'took over {NAME} {{"server":"s"}} at' in text
    assert [each["ID"] for each in afters(place.goes_on(), "S.T")] == [2, 3, 9]


def test_debezium_gets_an_offset_behind_what_was_delivered(db2: Database, place: Place) -> None:
    place.store.store(b"another", b"1")
    read = begin(place.settings)
    write(db2, "INSERT INTO S.T VALUES (1)")
    read_on(place.settings, read)
    place.sink.open(0)
    place.sink.commit(read.progress, read.history)
    code, text = place.run("export")
    assert (code, text.count("\n")) == (0, 1), text
    stored = place.store.load()
    lsn = read.progress.restart[db2.database]["lsn"]
    assert json.loads(stored[KEY] or "") == {"commit_lsn": lsn, "change_lsn": HIGHEST, "event_serial_no": 1}
    assert set(stored) == {b"another", KEY}


def test_an_offset_within_a_snapshot_is_refused(place: Place) -> None:
    lsn = "00000000:0005a1f0:00000000004cd21e"
    place.store.store(KEY, json.dumps({"snapshot": "INITIAL", "snapshot_completed": False, "commit_lsn": lsn}).encode())
    code, text = place.run("import")
    assert (code, "within a snapshot: let Debezium finish it" in text) == (6, True), text
