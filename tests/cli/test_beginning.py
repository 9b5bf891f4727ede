"""Commands that begin anew, with what the library of a driver reads when it is loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.configurations import DB2_MINIMAL, MINIMAL
from tailrace.cli.beginning import lacking_for, named_in, of_executors

SHOWN = """
import os, sys
from tailrace.cli.beginning import begin_anew_if_needed
print(os.getpid(), dict(one.split(b"=", 1) for one in open("/proc/self/environ", "rb").read().split(b"\\0") if one).get(b"GODEBUG"))
sys.stdout.flush()
begin_anew_if_needed(sys.argv[1:])
print("goes on", sys.argv[1:])
"""
AWAKE = "schedtrace=2147483647"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (json.dumps(DB2_MINIMAL), ["db2"]),
        (json.dumps({"config": {"connector.class": "db2"}}), ["db2"]),
        ("connector.class = db2\nname = a\n", ["db2"]),
        ("connector.class Db2\n", ["db2"]),
        (json.dumps({"connector.class": "DB2"}, indent=1), ["db2"]),
        (json.dumps({"connector.class": "IO.DEBEZIUM.CONNECTOR.DB2.DB2CONNECTOR"}), ["db2"]),
        ("spec:\n  class: db2\n", ["db2"]),
        (json.dumps(MINIMAL), ["mysql"]),
        ("connector.class=Db2ConnectorOfSomebody", []),
        ("", []),
    ],
)
def test_a_file_names_its_connector(tmp_path, text, names):
    (tmp_path / "a.json").write_text(text)
    assert [spec.name for spec in named_in(["run", str(tmp_path / "a.json"), "--to", "kafka:b:9092"])] == names


def test_words_that_are_no_files_name_none(tmp_path):
    assert list(named_in(["run", str(tmp_path), str(tmp_path / "none.json"), "a\0b", "x" * 5000])) == []
    for words in (["--source", "db2"], ["--source=db2"]):
        assert [spec.name for spec in named_in(["demo", *words])] == ["db2"]


def test_what_is_set_stays(monkeypatch):
    monkeypatch.setenv("GODEBUG", "netdns=go")
    assert lacking_for(["db2"]) == {"GODEBUG": f"netdns=go,{AWAKE}"}
    monkeypatch.setenv("GODEBUG", "schedtrace=x,netdns=go,schedtrace=1000")
    assert lacking_for(["db2"]) == {}
    assert of_executors() == {"spark.executorEnv.GODEBUG": "schedtrace=x,netdns=go,schedtrace=1000"}
    monkeypatch.delenv("GODEBUG")
    assert lacking_for(["db2"]) == {"GODEBUG": AWAKE}
    assert lacking_for(["mysql"]) == of_executors() == {}


@pytest.mark.parametrize(
    "text", ["netdns=go, schedtrace=1000", "schedtrace=0", "schedtrace=-1", "schedtrace=2147483648", "schedtrace=5,schedtrace=x"]
)
def test_what_go_does_not_take_is_not_set(monkeypatch, text):
    monkeypatch.setenv("GODEBUG", text)
    assert lacking_for(["db2"]) == {"GODEBUG": f"{text},{AWAKE}"}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="a system without /proc")
@pytest.mark.parametrize(("source", "begins"), [("db2", [None, AWAKE]), ("mysql", [None])])
def test_the_same_process_begins_anew_once(source, begins):
    environment = {name: value for name, value in os.environ.items() if name != "GODEBUG"}
    command = [sys.executable, "-c", SHOWN, "demo", "--source", source, "a b"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=60)
    *shown, last = done.stdout.splitlines()
    assert [line.split(" ", 1)[1] for line in shown] == [str(each.encode() if each else None) for each in begins]
    assert len({line.split()[0] for line in shown}) == 1
    assert last == f"goes on {['demo', '--source', source, 'a b']}"


NOTICED = """
import os, sys
real = os.execve
def execve(program, words, variables):
    print("begins anew with", variables["GODEBUG"], flush=True)
    real(program, words, variables)
os.execve = execve
if os.environ.get("TESTED") == "forgets":
    os.environ.pop("GODEBUG", None)
"""


@pytest.mark.parametrize("how", ["forgets", "keeps"])
@pytest.mark.parametrize("words", [[sys.executable, "-m", "tailrace.cli.main"], [Path(sys.executable).with_name("tailrace")]])
def test_the_command_itself_begins_anew_and_only_once(tmp_path, words, how):
    """Also where something takes the variable away each time."""
    (tmp_path / "sitecustomize.py").write_text(NOTICED)
    (tmp_path / "a.json").write_text(json.dumps(DB2_MINIMAL))
    environment = {name: value for name, value in os.environ.items() if name != "GODEBUG"}
    environment |= {"PYTHONPATH": str(tmp_path), "TESTED": how}
    command = [*words, "check", "--offline", str(tmp_path / "a.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=60)
    begins, verdict = done.stdout.splitlines()
    assert begins == f"begins anew with {AWAKE}"
    assert ": accepted" in verdict
