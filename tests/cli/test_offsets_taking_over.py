"""`tailrace offsets import` and `export` as people type them. Without a server where that is enough."""

import json

import pytest

from support.mysql_settings import settings_for
from tailrace.cli.main import main
from tailrace.connect_offsets.file import OffsetFile
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.sinks.files import FilesSink

KEY = b'["shop",{"server":"shop"}]'
AT = {"file": "log.000003", "pos": 154, "server_id": 7, "ts_sec": 1}
CONFIG = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "127.0.0.1",
    "database.port": 1,
    "database.user": "u",
    "database.server.id": 5,
    "topic.prefix": "shop",
    "snapshot.mode": "no_data",
}


def record(pos, file="log.000003", server="shop"):
    position = {"file": file, "pos": pos, "server_id": 7}
    return {"source": {"server": server}, "position": position, "databaseName": "d", "ddl": f"CREATE TABLE t{pos} (n INT)"}


class Place:
    """A configuration, Debezium's files and a target in one folder."""

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        self.offsets = OffsetFile(folder / "offsets.dat")
        self.history = folder / "history.jsonl"
        self.to = f"files:{folder / 'out'}"
        self.sink = FilesSink(folder / "out", "mysql shop", "run")
        self.configure()

    def configure(self, **changes):
        usual = CONFIG | self.history_in_a_file()
        given = {name.replace("_", "."): value for name, value in changes.items()}
        (self.folder / "c.json").write_text(json.dumps({"name": "shop", "config": usual | given}))

    def history_in_a_file(self):
        kept = "io.debezium.storage.file.history.FileSchemaHistory"
        return {"schema.history.internal": kept, "schema.history.internal.file.filename": str(self.history)}

    def of_debezium(self, offset, *records):
        self.offsets.store(KEY, json.dumps(offset).encode())
        self.history.write_text("".join(json.dumps(each) + "\n" for each in records))

    def opened(self):
        """What the next run's task finds."""
        self.sink.claim(1)
        return self.sink.open(0)

    def deliver(self, progress, *records):
        self.opened()
        self.sink.commit(progress, records)

    def run(self, command, *arguments):
        store = ("--from" if command == "import" else "--into", f"file:{self.folder / 'offsets.dat'}")
        with pytest.raises(SystemExit) as ended:
            main(["offsets", command, str(self.folder / "c.json"), "--to", self.to, *store, *arguments])
        out, err = self.capsys.readouterr()
        return ended.value.code, out + err


@pytest.fixture
def place(tmp_path, capsys):
    return Place(tmp_path, capsys)


def test_an_import_stores_position_and_history_and_tells_in_one_line(place):
    place.of_debezium(AT, record(4), record(154), record(155), record(9, "log.000002"), record(1, server="other"))
    code, text = place.run("import")
    assert (code, text.count("\n")) == (0, 1)
    assert 'took over shop {"server":"shop"} at log.000003:154, with 3 records of the schema history' in text
    opened = place.opened()
    assert opened.progress == Progress("", {"file": "log.000003", "pos": 154})
    assert opened.history == [record(4), record(154), record(9, "log.000002")]


def test_an_import_within_a_transaction_keeps_what_is_done_of_it(place):
    place.of_debezium({**AT, "event": 5, "row": 2}, record(4))
    assert "5 events into a transaction" in place.run("import")[1]
    assert place.opened().progress.restart == {"file": "log.000003", "pos": 154, "skip_events": 5, "skip_rows": 2}


def test_an_import_forgets_the_checkpoint(place):
    place.of_debezium(AT, record(4))
    (place.folder / "out" / "_tailrace" / "checkpoint").mkdir(parents=True)
    assert place.run("import")[0] == 0
    assert not (place.folder / "out" / "_tailrace" / "checkpoint").exists()


def test_a_target_with_progress_is_left_alone_unless_forced(place):
    place.of_debezium(AT, record(4))
    progress = Progress(str(BinlogPosition(0, 9, 4)), {"file": "log.000009", "pos": 4})
    place.deliver(progress, record(3))
    code, text = place.run("import")
    assert (code, "has progress already" in text) == (6, True)
    assert place.sink.peek(0) == progress
    assert place.run("import", "--force")[0] == 0
    opened = place.opened()
    assert (opened.progress.restart["file"], opened.history) == ("log.000003", [record(3), record(4)])


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        ({**AT, "snapshot": "INITIAL"}, "within a snapshot: let Debezium finish it"),
        ({**AT, "snapshot": True}, "within a snapshot"),
        ({**AT, "incremental_snapshot_collections": "[]"}, "stop-snapshot"),
        ({"pos": 4}, "names no log file"),
    ],
)
def test_an_offset_that_says_too_little_is_refused(place, offset, message):
    place.of_debezium(offset, record(4))
    code, text = place.run("import")
    assert (code, message in text, place.sink.peek(0)) == (6, True, None)


def test_another_name_is_proposed_and_taken(place):
    place.of_debezium(AT, record(4))
    code, text = place.run("import", "--name", "wrong")
    assert (code, "--name shop" in text) == (6, True)
    place.configure(name="wrong")
    (place.folder / "c.json").write_text((place.folder / "c.json").read_text().replace('"name": "shop", ', ""))
    assert place.run("import", "--name", "shop")[0] == 0


def test_a_store_that_is_not_there_is_told(place):
    code, text = place.run("import")
    assert (code, "offsets.dat does not exist" in text) == (2, True)


def test_a_missing_history_is_told_unless_it_is_to_be_rebuilt(place):
    place.of_debezium(AT)
    code, text = place.run("import")
    assert (code != 0, "there is no schema history to take over" in text) == (True, True)
    place.configure(snapshot_mode="recovery")
    assert place.run("import")[0] == 0


def test_an_export_without_progress_is_refused(place):
    code, text = place.run("export")
    assert (code, "nothing was delivered" in text) == (6, True)


def test_an_export_within_a_snapshot_that_a_signal_asked_for_says_what_to_do(place):
    asked = {"tables": [{"table": '"shop"."a"'}]}
    place.of_debezium(AT, record(4))
    place.deliver(Progress(str(BinlogPosition(0, 9, 4)), {"file": "log.000009", "pos": 4}, signalled=asked), record(3))
    code, text = place.run("export")
    assert (code, "end it with a stop-snapshot signal" in text) == (6, True)


@pytest.fixture
def on_server(place, mysql_server, database):
    """The same with a server's log, of which a transaction of three events is read in part."""
    settings = settings_for(mysql_server, topic_prefix="shop", table_include_list=f"{database}.*")
    mysql_server.sql("CREATE TABLE a (n INT)", database)
    own = dict(settings.given) | {"database.password": mysql_server.password, "name": "shop"}
    (place.folder / "c.json").write_text(json.dumps(own | place.history_in_a_file()))
    place.head = RestartPosition.from_dict(MySqlConnector(settings).head())
    mysql_server.sql("BEGIN; INSERT INTO a VALUES (1); INSERT INTO a VALUES (2); INSERT INTO a VALUES (3); COMMIT", database)
    rows = mysql_server.sql(f"SHOW BINLOG EVENTS IN '{place.head.file}' FROM {place.head.pos}")
    place.events = rows
    return place


@pytest.mark.mysql
def test_an_export_at_a_boundary_is_debeziums_offset_and_completes_the_history(on_server):
    head = on_server.head
    on_server.deliver(Progress(str(head.position), head.to_dict()), record(4))
    code, text = on_server.run("export")
    assert (code, text.count("\n"), "1 records added" in text) == (0, 1, True)
    assert json.loads(on_server.offsets.load()[KEY]) == {"file": head.file, "pos": head.pos, "gtids": head.gtids}
    assert [json.loads(line) for line in on_server.history.read_text().splitlines()] == [record(4)]


@pytest.mark.mysql
def test_an_export_keeps_other_connectors_offsets(on_server):
    on_server.offsets.store(b"other", b"1")
    on_server.deliver(Progress(str(on_server.head.position), on_server.head.to_dict()), record(4))
    assert on_server.run("export")[0] == 0
    assert set(on_server.offsets.load()) == {b"other", KEY}


@pytest.mark.mysql
def test_an_export_beside_an_xa_transaction_that_is_prepared_says_what_to_do(on_server):
    restart = {**on_server.head.to_dict(), "is_prepared": True}
    on_server.deliver(Progress(str(on_server.head.position), restart), record(4))
    code, text = on_server.run("export")
    assert (code, "XA RECOVER" in text, "--available-now" in text) == (6, True, True)
