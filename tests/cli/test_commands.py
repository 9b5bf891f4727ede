"""Commands as people type them: what they print, and how they end. No server, no Spark."""

import json
from contextlib import closing

import pytest

from tailrace import __version__
from tailrace.cli.main import main
from tailrace.connectors.base import Progress
from tailrace.errors import FencedError
from tailrace.sinks import lease
from tailrace.sinks.files import FilesSink
from tailrace.sinks.lease_file import LeaseFile

CONFIG = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "127.0.0.1",
    "database.port": 1,
    "database.user": "u",
    "database.password": "secret-word",
    "database.server.id": 5,
    "topic.prefix": "shop",
    "snapshot.mode": "no_data",
}


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "connector.json"
    path.write_text(json.dumps({"name": "shop", "config": CONFIG}))
    return str(path)


@pytest.fixture
def target(tmp_path):
    """A files target with some progress."""
    sink = FilesSink(tmp_path / "out", "mysql shop", "run")
    sink.open(0)
    sink.commit(
        Progress("0000.0000000003.000000000000154.0000000000", {"file": "log.000003", "pos": 154}), [{"ddl": "x"}]
    )
    return f"files:{tmp_path / 'out'}"


def run(capsys, *arguments):
    """Exit code and what was printed on standard output and error."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    return ended.value.code, out, err


def test_the_version_is_told(capsys):
    assert run(capsys, "--version") == (0, f"tailrace {__version__}\n", "")


def test_what_the_worker_hands_on_counts_for_every_command(capsys, config, target, tmp_path):
    worker = tmp_path / "worker.properties"
    worker.write_text("value.converter=x.Avro\n")
    for arguments in (("run", config, "--to", target), ("check", config), ("offsets", "show", config, "--to", target)):
        code, _, err = run(capsys, *arguments, "--worker", str(worker))
        assert (code, "value.converter is 'x.Avro'" in err) == (2, True)


def test_what_a_worker_has_for_itself_is_said_to_have_no_meaning(capsys, config, target, tmp_path):
    worker = tmp_path / "worker.properties"
    worker.write_text("group.id=g\n")
    _, out, _ = run(capsys, "check", config, "--worker", str(worker))
    assert "group.id is ignored: there are no workers" in out
    assert "key.converter and value.converter are not set" in out


@pytest.mark.parametrize("arguments", [("run",), ("run", "c.json"), ("nonsense",), ("run", "--nonsense")])
def test_wrong_usage_ends_with_2(capsys, arguments):
    code, _, err = run(capsys, *arguments)
    assert (code, "Usage:" in err) == (2, True)


@pytest.mark.parametrize(
    ("to", "message"), [("kafka:x", "'x' is no broker's address"), ("nowhere", "files:DIR"), ("files:", "a folder")]
)
def test_a_wrong_target_is_told_in_one_line(capsys, config, to, message):
    code, _, err = run(capsys, "run", config, "--to", to)
    assert (code, message in err, err.count("\n")) == (2, True, 1)


def test_a_wrong_configuration_is_told_without_a_stack_trace(capsys, tmp_path):
    (tmp_path / "c.json").write_text('{"connector.class": "mysql"}')
    code, _, err = run(capsys, "run", str(tmp_path / "c.json"), "--to", "console")
    assert (code, "database.hostname is missing" in err, "Traceback" in err) == (2, True, False)


@pytest.mark.parametrize("command", [("check",), ("run", "--to", "console")])
def test_with_strict_a_name_that_is_no_property_ends_with_2(capsys, tmp_path, command):
    path = tmp_path / "connector.json"
    path.write_text(json.dumps(CONFIG | {"frobnication": "1"}))
    code, _, err = run(capsys, command[0], str(path), *command[1:], "--strict")
    assert code == 2
    assert "frobnication is not a property of the MySQL connector" in err


def test_check_tells_what_is_assumed_and_what_has_no_effect(capsys, tmp_path):
    path = tmp_path / "connector.json"
    path.write_text(json.dumps(CONFIG | {"frobnication": "1"}))
    _, out, _ = run(capsys, "check", str(path))
    assert "note     key.converter and value.converter are not set: " in out
    assert "warning  frobnication is not a property of the MySQL connector, and has no effect" in out


def test_check_of_a_server_that_is_away_ends_with_3_and_tells_no_password(capsys, config):
    code, out, err = run(capsys, "check", config)
    assert (code, "error" in out) == (3, True)
    assert "secret-word" not in out + err


def test_offsets_are_shown_as_json(capsys, config, target):
    code, out, _ = run(capsys, "offsets", "show", config, "--to", target)
    assert code == 0
    assert json.loads(out)["restart"] == {"file": "log.000003", "pos": 154}


def test_offsets_of_a_target_without_progress_end_with_6(capsys, config, tmp_path):
    assert run(capsys, "offsets", "show", config, "--to", f"files:{tmp_path}/new")[0] == 6


@pytest.mark.parametrize(
    "given",
    [
        '{"file": "log.000002", "pos": 4}',
        '{"delivered": "", "restart": {"file": "log.000002", "pos": 4}}',
        '{"transaction_id": null, "ts_sec": 1, "file": "log.000002", "pos": 4, "server_id": 1}',
    ],
)
def test_offsets_are_set_from_tailraces_or_debeziums_json(capsys, config, target, tmp_path, given):
    (tmp_path / "out" / "_tailrace" / "checkpoint").mkdir()
    assert run(capsys, "offsets", "set", config, "--to", target, given)[0] == 0
    _, out, _ = run(capsys, "offsets", "show", config, "--to", target)
    assert json.loads(out) == {"delivered": "", "restart": {"file": "log.000002", "pos": 4}}
    assert not (tmp_path / "out" / "_tailrace" / "checkpoint").exists(), "it would hold the old position as a floor"


def test_setting_offsets_keeps_the_history(capsys, config, target, tmp_path):
    run(capsys, "offsets", "set", config, "--to", target, '{"file": "log.000002", "pos": 4}')
    sink = FilesSink(tmp_path / "out", "mysql shop", "run")
    sink.claim(1)
    assert sink.open(0).history == [{"ddl": "x"}]


@pytest.mark.parametrize("arguments", [["set", '{"file": "log.000002", "pos": 4}'], ["export", "--into", "file:offsets.dat"]])
def test_a_command_that_stood_still_while_a_run_took_over_changes_nothing(
    capsys, config, target, tmp_path, monkeypatch, arguments
):
    def replaced(_):
        raise FencedError("taken over by another run")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lease.Lease, "confirm", replaced)
    going = FilesSink(tmp_path / "out", "mysql shop", "going")
    going.claim(1)
    opened = going.open(0)
    command, *more = arguments
    code, _, said = run(capsys, "offsets", command, config, "--to", target, *more)
    assert (code, "taken over by another run" in said) == (7, True)
    going.commit(opened.progress, [])


def test_setting_offsets_keeps_what_signals_asked_for(capsys, config, target, tmp_path):
    going = {"tables": [{"table": '"shop"."a"'}], "marks": {"kafka": 3}}
    begun = {"blocking": {"tables": [{"table": '"shop"."b"'}], "state": {"n": 1}}}
    sink = FilesSink(tmp_path / "out", "mysql shop", "run")
    sink.open(0)
    sink.commit(Progress("", {"file": "log.000003", "pos": 154}, signalled=going | begun), [])
    assert run(capsys, "offsets", "set", config, "--to", target, '{"file": "log.000002", "pos": 4}')[0] == 0
    _, out, _ = run(capsys, "offsets", "show", config, "--to", target)
    assert json.loads(out)["signalled"] == going | {"blocking": {"tables": [{"table": '"shop"."b"'}]}}


@pytest.mark.parametrize(("given", "code"), [("{", 2), ("[]", 2), ('{"pos": 4, "nonsense": 1}', 6)])
def test_offsets_that_are_none_are_refused(capsys, config, target, given, code):
    assert run(capsys, "offsets", "set", config, "--to", target, given)[0] == code


def test_the_console_keeps_no_offsets_without_a_folder(capsys, config):
    assert run(capsys, "offsets", "show", config, "--to", "console")[0] == 2


def test_offsets_are_not_set_beside_a_run_that_is_at_work_and_are_when_it_has_ended(
    capsys, config, target, tmp_path, monkeypatch
):
    monkeypatch.setattr(lease, "BEAT_SECONDS", 0.1)
    arguments = ("offsets", "set", config, "--to", target, '{"file": "log.000004", "pos": 4}')
    with closing(lease.Lease(LeaseFile(tmp_path / "out" / "_tailrace"), target, "a run")) as held:
        held.take(print, lambda: False)
        code, _, err = run(capsys, *arguments)
        assert (code, "only one run may do that; stop that one first" in err) == (7, True)
        held.check()
    assert FilesSink(tmp_path / "out", "mysql shop", "look").peek(0).restart["pos"] == 154
    assert run(capsys, *arguments)[0] == 0
    assert FilesSink(tmp_path / "out", "mysql shop", "look").peek(0).restart["pos"] == 4
