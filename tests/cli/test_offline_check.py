"""`tailrace check --offline`: configurations without a server."""

import json
import socket

import pytest

from tailrace.cli.main import main

MYSQL = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "db.example.org",
    "database.user": "u",
    "database.password": "secret-word",
    "database.server.id": "5",
    "topic.prefix": "shop",
    "key.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
}


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    """Writes files, checks them in one go, and gives the exit code with the lines without the folder."""

    def refuse(*_args, **_kwargs):
        raise AssertionError("something connects")

    monkeypatch.setattr(socket.socket, "connect", refuse)

    def checked(files, *options):
        paths = []
        for name, content in files.items():
            path = tmp_path / name
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
            paths.append(str(path))
        with pytest.raises(SystemExit) as ended:
            main(["check", "--offline", *paths, *map(str, options)])
        out = capsys.readouterr().out
        assert "secret-word" not in out
        return ended.value.code, out.replace(f"{tmp_path}/", "")

    return checked


def test_a_file_that_is_right_is_accepted(check):
    assert check({"a.json": {"name": "shop", "config": MYSQL}}) == (0, "a.json: accepted\n")


def test_each_file_has_a_line_and_the_worst_counts(check):
    ignored = MYSQL | {"errors.log.enable": "true"}
    code, out = check({"a.json": MYSQL, "b.json": ignored, "c.json": MYSQL | {"database.port": "x"}})
    assert code == 2
    assert out.splitlines() == [
        "a.json: accepted",
        "b.json: accepted with warnings: errors.log.enable is ignored: every failure is logged",
        "c.json: refused: database.port is 'x': it must be a whole number from 1 to 65535",
    ]


def test_properties_files_are_checked_as_well(check):
    assert check({"a.properties": "".join(f"{name}={text}\n" for name, text in MYSQL.items())}) == (0, "a.properties: accepted\n")


@pytest.mark.parametrize("connector", ["oracle.OracleConnector", "mariadb.MariaDbConnector"])
def test_other_databases_are_not_there_yet(check, connector):
    code, out = check({"a.json": MYSQL | {"connector.class": f"io.debezium.connector.{connector}"}})
    assert (code, "a.json: refused: connector.class" in out, "that database is not supported" in out) == (2, True, True)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("b.json", "", "is empty"),
        ("b.json", "{", "line 1, column 2"),
        ("b.json", "5", "holds no JSON object"),
        ("b.json", "[]", "there is no connector in it"),
        ("b.json", "[" * 100_000, "nests too deeply"),
        ("b.json", '{"a": ' + "9" * 5000 + "}", "too long a number"),
        ("b.json", '["secret-word"]', "holds no JSON object"),
        ("b.yaml", "apiVersion: kafka.strimzi.io/v1beta2\n", "is YAML, which is not read: turn it into JSON"),
        ("b.json", {"a": [MYSQL["database.password"]]}, "a is a JSON array: write one text with commas"),
    ],
)
def test_what_is_no_configuration_is_told_and_the_others_go_on(check, name, content, says):
    code, out = check({"a.json": MYSQL, name: content, "c.json": MYSQL})
    lines = out.splitlines()
    assert (code, len(lines), lines[0], lines[2]) == (2, 3, "a.json: accepted", "c.json: accepted")
    assert lines[1].startswith(f"{name}: refused: ")
    assert says in lines[1]


def test_files_that_are_not_there_or_no_text_are_told(check, tmp_path):
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe4"}')
    code, out = check({}, tmp_path / "absent.json", tmp_path / "latin.json")
    assert code == 2
    assert out.splitlines() == [
        "absent.json: refused: can't read the configuration absent.json: No such file or directory",
        "latin.json: refused: is not UTF-8 at byte 7",
    ]


def test_of_a_folder_all_files_are_checked(check, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "all").mkdir()
    for name in ("b.json", "a.json", "c.txt"):
        (tmp_path / "all" / name).write_text(json.dumps(MYSQL))
    code, out = check({}, tmp_path / "all", tmp_path / "empty")
    assert code == 2
    assert out.splitlines() == [
        "all/a.json: accepted",
        "all/b.json: accepted",
        "empty: refused: it is a folder without files *.json and *.properties",
    ]


@pytest.mark.parametrize(
    "dump",
    [
        [{"name": "one", "config": MYSQL}, {"name": "two", "config": MYSQL | {"database.port": "x"}}],
        {
            "one": {"info": {"name": "one", "config": MYSQL, "tasks": [], "type": "source"}},
            "two": {"info": {"name": "two", "config": MYSQL | {"database.port": "x"}}, "status": {}},
        },
    ],
)
def test_what_connects_rest_interface_lists_is_checked_one_by_one(check, dump):
    code, out = check({"all.json": dump})
    lines = out.splitlines()
    assert (code, len(lines), lines[0]) == (2, 2, "all.json (one): accepted")
    assert lines[1].startswith("all.json (two): refused: database.port")


def test_for_programs_there_is_one_document(check):
    files = {"a.json": {"name": "shop", "config": MYSQL | {"database.port": "x", "errors.log.enable": "true"}}, "b.json": "["}
    code, out = check(files, "--json")
    assert code == 2
    one, other = json.loads(out)["files"]
    assert one == {
        "file": "a.json",
        "name": "shop",
        "connector": MYSQL["connector.class"],
        "verdict": "refused",
        "notes": [],
        "warnings": ["errors.log.enable is ignored: every failure is logged"],
        "problems": ["database.port is 'x': it must be a whole number from 1 to 65535"],
    }
    assert (other["verdict"], other["connector"]) == ("refused", None)


def test_that_no_converter_is_named_is_said(check):
    without = {name: text for name, text in MYSQL.items() if "converter" not in name}
    code, out = check({"a.json": without})
    assert code == 0
    assert out.startswith("a.json: accepted (key.converter and value.converter are not set: keys and values are JSON with schemas")


def test_what_the_worker_hands_on_is_checked_too(check, tmp_path):
    (tmp_path / "worker.properties").write_text("value.converter=x.Avro\nproducer.acks=7\ngroup.id=g\n")
    without = {name: text for name, text in MYSQL.items() if name != "value.converter"}
    code, out = check({"a.json": without, "b.json": MYSQL}, "--worker", tmp_path / "worker.properties")
    assert code == 2
    assert out.splitlines()[0].startswith("a.json: refused: value.converter is 'x.Avro'")
    assert out.splitlines()[1].startswith("b.json: refused: producer.override.acks")


def test_a_value_with_line_ends_makes_no_further_line(check):
    code, out = check({"a.json": MYSQL | {"database.port": "1\n2\x1b[31m"}})
    assert (code, len(out.splitlines()), "\x1b" in out) == (2, 1, False)


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"producer.override.client.id": "\ud800"}, "producer.override.client.id has a character that no text can have"),
        ({"producer.override.client.id": "a\0b"}, "producer.override.client.id has a character that no text can have"),
        ({"connector.class": "${env:NOT_HERE}"}, "connector.class is not known here, and without it nothing can be checked"),
        ({"database.port": "\ud800"}, "database.port is"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_texts_that_are_none_are_refused(check, properties, says, options):
    code, out = check({"a.json": MYSQL | properties}, *options)
    assert (code, says in out) == (2, True)


@pytest.mark.parametrize("text", ["${file:/a\0b:key}", "${directory:/\ud800:key}", "${env:a\0b}", "${env:}", "${env:=}"])
def test_places_that_can_not_be_are_not_there(check, text):
    code, out = check({"a.json": MYSQL | {"database.password": text, "producer.override.ssl.ca.location": "/a\0b"}})
    assert (code, "database.password: ${" in out, "ssl.ca.location" in out) == (0, True, True)


@pytest.mark.parametrize("text", ["${env:NOT_HERE}", "${file:/nowhere/db:password}", "${directory:/nowhere:password}", "${HOST}"])
def test_what_whoever_deploys_fills_is_a_warning(check, text):
    code, out = check({"a.json": MYSQL | {"database.hostname": text}})
    assert (code, out.startswith("a.json: accepted with warnings: database.hostname")) == (0, True)


LOGIN = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "PLAIN",
    "sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required username='u' password='secret-word';",
}


def of_client(prefix, properties):
    return MYSQL | {f"{prefix}{name}": text for name, text in properties.items()}


@pytest.mark.parametrize(
    "prefix", ["producer.override.", "consumer.override.", "admin.override.", "schema.history.internal.producer."]
)
@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"sasl.jaas.config": "no.Module required password='secret-word';"}, "sasl.jaas.config: the login module must be one of"),
        ({"security.protocol": "TLS"}, "security.protocol has a value that it can't have"),
        ({"ssl.truststore.locatio": "x"}, "ssl.truststore.locatio is not a property of Kafka's clients; did you mean ssl.truststore.location?"),
    ],
)
def test_properties_of_kafkas_clients_are_tried(check, prefix, properties, says):
    history = {
        "schema.history.internal.kafka.topic": "history",
        "schema.history.internal.kafka.bootstrap.servers": "kafka.example.org:9092",
    }
    code, out = check({"a.json": history | of_client(prefix, LOGIN | properties)})
    assert (code, f"{prefix}{says}" in out) == (2, True)


def test_properties_of_the_signal_topics_client_are_tried(check):
    signals = {"signal.enabled.channels": "kafka", "signal.kafka.bootstrap.servers": "kafka.example.org:9092"}
    code, out = check({"a.json": signals | of_client("signal.consumer.", LOGIN | {"security.protocol": "TLS"})})
    assert (code, "signal.consumer.security.protocol has a value" in out) == (2, True)


@pytest.mark.parametrize(
    "properties",
    [
        {"sasl.jaas.config": "${env:NOT_HERE}"},
        {"sasl.jaas.config": "x.PlainLoginModule required username='u' password='${file:/nowhere/kafka:password}';"},
        {"ssl.truststore.location": "/nowhere/truststore.jks", "ssl.truststore.password": "secret-word"},
        {"ssl.keystore.location": "/nowhere/keystore.jks", "ssl.key.password": "secret-word"},
        {"ssl.ca.location": "/nowhere/ca.pem"},
        {"ssl.truststore.location": "${env:NOT_HERE}"},
        {"bootstrap.servers": "kafka.example.org:9092"},
    ],
)
def test_of_a_client_too_what_is_elsewhere_is_no_mistake(check, properties):
    code, out = check({"a.json": of_client("producer.override.", LOGIN | properties)})
    assert (code, out.startswith("a.json: accepted")) == (0, True)


def test_a_servers_own_options_do_not_go_with_it(check, capsys):
    check({"a.json": MYSQL})
    for arguments in (["check", "a.json", "b.json"], ["check", "a.json", "--json"], ["check", "--offline", "a.json", "--apply"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert (ended.value.code, "Usage:" in capsys.readouterr().err) == (2, True)
