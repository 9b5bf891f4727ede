"""A run on a standalone cluster with a secret of its own: secrets reach its tasks, and are nowhere to be seen."""

import contextlib
import json
import os
import subprocess
import sys
import urllib.request
import uuid
from pathlib import Path

import psutil
import pytest

from support.kafka_reading import read_topics
from support.spark_cluster import SparkCluster
from tailrace_standins.servers.ports import HOST, free_port
from tailrace_standins.servers.waiting import wait_until

pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]
TESTS = Path(__file__).parents[1]
SALT = "salt-that-nobody-sees"
AUTHENTICATION = "secret-of-the-cluster"
PASSWORD = "password-from-a-file"
SECONDS = 900
PAGES = (
    "environment/", "SQL/", "SQL/execution/?id=0", "StreamingQuery/", "jobs/", "stages/", "executors/", "storage/",
    "api/v1/applications/{id}/environment", "api/v1/applications/{id}/sql?details=true&planDescription=true",
    "api/v1/applications/{id}/jobs", "api/v1/applications/{id}/stages?details=true", "api/v1/applications/{id}/executors",
)  # fmt: skip


@pytest.fixture
def properties(tmp_path):
    path = tmp_path / "cluster.conf"
    path.write_text(
        f"spark.authenticate true\nspark.authenticate.secret {AUTHENTICATION}\nspark.network.crypto.enabled true\n"
    )
    path.chmod(0o600)
    return path


@pytest.fixture
def login(mysql_server, database):
    """A user whose password is in no other place."""
    user = f"u{uuid.uuid4().hex[:8]}"
    mysql_server.sql(f"CREATE USER {user} IDENTIFIED BY '{PASSWORD}'")
    mysql_server.sql(f"GRANT ALL ON *.* TO {user}")
    yield user
    mysql_server.sql(f"DROP USER {user}")


@pytest.fixture
def config(mysql_server, database, login, tmp_path):
    mysql_server.sql(f"CREATE TABLE {database}.t (id int PRIMARY KEY, name varchar(20))")
    mysql_server.sql(f"INSERT INTO {database}.t VALUES (1, 'one'), (2, 'two')")
    (tmp_path / "login.properties").write_text(f"password={PASSWORD}\n")
    path = tmp_path / "connector.json"
    properties = {
        "connector.class": "mysql",
        "database.hostname": HOST,
        "database.port": mysql_server.port,
        "database.user": login,
        "database.password": f"${{file:{tmp_path}/login.properties:password}}",
        "database.server.id": 7302,
        "table.include.list": f"{database}.t",
        f"column.mask.hash.SHA-256.with.salt.{SALT}": f"{database}.t.name",
        "topic.prefix": f"secret-{uuid.uuid4().hex[:8]}",
    }
    path.write_text(json.dumps(properties))
    return path


def test_secrets_reach_the_tasks_and_show_nowhere(properties, config, database, kafka_broker, tmp_path):
    topic = f"{json.loads(config.read_text())['topic.prefix']}.{database}.t"
    logs, port = tmp_path / "events", free_port()
    logs.mkdir()
    with SparkCluster(tmp_path, workers=1, properties=properties) as cluster:
        settings = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file:{logs}",
            "spark.ui.enabled": "true",
            "spark.ui.port": str(port),
            "spark.local.dir": str(tmp_path / "local"),
            "spark.redaction.regex": "nothing-is-hidden",
        }
        command = [
            sys.executable, str(TESTS / "support" / "run_elsewhere.py"), "run", str(config),
            "--to", f"kafka:{kafka_broker.address}", "--checkpoint", f"file:{tmp_path}/checkpoint", "--stop-timeout", "600",
            "--master", cluster.url, "--driver-host", "127.0.0.1", "--properties-file", str(properties),
            *(f"--conf={name}={value}" for name, value in settings.items()),
        ]  # fmt: skip
        with (tmp_path / "run.log").open("wb") as log:
            run = subprocess.Popen(command, env=environment(tmp_path), stdout=log, stderr=log)
        said = (tmp_path / "run.log").read_text
        try:
            wait_until(
                lambda: len(read_topics(kafka_broker.address, [topic])) == 2 or run.poll() is not None, SECONDS, said
            )
            assert run.poll() is None, said()
            shown = pages(port)
            arguments = [" ".join(of_process(each)) for each in psutil.process_iter()]
            meanwhile = {f"meanwhile {name}": text for name, text in files_in(tmp_path).items()}
            run.terminate()
            assert run.wait(SECONDS) == 0, said()
        finally:
            run.kill()
            run.wait()
        assert "stopped: 2 changes" in said()  # the figures came over the network, and so did the stop
    texts = {"arguments": "\n".join(arguments), **shown, **meanwhile, **files_in(tmp_path)}
    assert holding(PASSWORD, texts) == {"login.properties", "meanwhile login.properties"}
    assert holding(SALT, texts) == {"connector.json", "meanwhile connector.json"}
    assert AUTHENTICATION not in texts["arguments"]
    assert any("tailrace-delivery" in text for name, text in texts.items() if name.startswith("events/"))


def holding(secret, texts):
    return {name for name, text in texts.items() if secret in text}


def environment(folder):
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    return {**os.environ, "PYTHONPATH": path, "TMPDIR": str(folder)}


def of_process(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def pages(port):
    def get(path):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=60) as answer:
            return answer.read().decode()

    application = json.loads(get("api/v1/applications"))[0]["id"]
    return {path: get(path.format(id=application)) for path in PAGES}


def files_in(folder):
    texts = {}
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # a folder, a socket, or gone by now
            texts[str(path.relative_to(folder))] = path.read_bytes().decode(errors="replace")
    return texts
