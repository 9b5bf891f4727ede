"""`tailrace.stream` in a script of `spark-submit`, whose Python is an environment's and is not on the path."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tailrace.java import provide_java
from tailrace_standins.servers.ports import HOST
from tailrace_standins.servers.waiting import wait_until

pytestmark = [pytest.mark.mysql, pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def config(mysql_server, database, tmp_path):
    """A connector of one table with two rows."""
    mysql_server.sql(f"CREATE TABLE {database}.t (id int PRIMARY KEY)")
    mysql_server.sql(f"INSERT INTO {database}.t VALUES (1), (2)")
    path = tmp_path / "connector.json"
    properties = {
        "connector.class": "mysql",
        "database.hostname": HOST,
        "database.port": str(mysql_server.port),
        "database.user": mysql_server.user,
        "database.password": mysql_server.password,
        "database.server.id": "7301",
        "table.include.list": f"{database}.t",
        "topic.prefix": "submitted",
        "poll.interval.ms": "100",
    }
    path.write_text(json.dumps(properties))
    return path


def submit(script, *arguments, path, master="local[3]"):
    """Start a script with the suite's Python for the driver and nothing said of the workers'."""
    provide_java()
    environment = {name: value for name, value in os.environ.items() if name not in {"PYSPARK_PYTHON", "PYTHONPATH"}}
    command = [
        str(Path(pyspark.__file__).parent / "bin" / "spark-submit"),
        f"--master={master}",
        f"--conf=spark.pyspark.driver.python={sys.executable}",
        "--conf=spark.ui.enabled=false",
        "--conf=spark.driver.bindAddress=127.0.0.1",
        "--conf=spark.driver.host=127.0.0.1",
    ]
    out = (path / "out.txt").open("wb")
    err = (path / "err.txt").open("wb")
    return subprocess.Popen(
        [*command, str(script), *map(str, arguments)],
        env={**environment, "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=path,
        stdout=out,
        stderr=err,
    )


def test_two_streams_run_in_the_users_session_and_leave_it_open(config, mysql_server, database, tmp_path):
    process = submit(ROOT / "tests" / "support" / "stream_script.py", config, tmp_path, path=tmp_path)
    try:
        wait_until(lambda: (tmp_path / "follows").exists() or process.poll() is not None, 900, lambda: "nothing happened")
        mysql_server.sql(f"INSERT INTO {database}.t VALUES (3)")
        code = process.wait(900)
    finally:
        process.kill()
        process.wait()
    said = (tmp_path / "err.txt").read_text(errors="replace")
    assert code == 0, what_went_wrong(said)
    told = json.loads((tmp_path / "out.txt").read_text().splitlines()[-1])
    assert told["wrong"][0] == "ConfigError"
    assert "snapshot.mode" in told["wrong"][1]
    assert told["target"][0] == "ConfigError"
    assert told["second run"][0] == "FencedError"
    assert told["first ended"] is True
    assert told["first"] == ["done", 2, False, None]
    assert told["progress"] == 2
    assert told["second"] == ["running", True, False]
    assert told["stopped"] == ["stopped", False]
    assert told["columns"] == ["topic", "partition"]
    assert told["session"] == 3
    assert keys_in(tmp_path / "a") == [1, 2]
    assert keys_in(tmp_path / "b") == [1, 2, 3]


def what_went_wrong(said):
    """The lines that name errors, whose traces are longer than a report has room for, and the end."""
    named = [line for line in said.splitlines() if re.search("Error|Exception|Caused by|Traceback", line)]
    return "\n".join([*named[:60], said[-1500:]])


def keys_in(folder):
    lines = [json.loads(line) for file in sorted(folder.glob("submitted.*.t/*.jsonl")) for line in file.open()]
    return [line["key"]["payload"]["id"] for line in lines]
