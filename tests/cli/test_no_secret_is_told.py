"""Logins of database, broker's client and registries are in nothing that a run shows, logs or leaves: Spark's pages, the command lines
of its processes, checkpoints, topics, messages of errors.
"""

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import uuid
from pathlib import Path

import psutil
import pytest
from tests.support.fake_registry import FakeRegistry

from support.every_scenario import only_with_all
from support.kafka_reading import read_topics
from support.mysql_settings import properties_for

pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, only_with_all]
ROOT = Path(__file__).parents[2]
WORD = "s3cr3t"
PAGES = (
    "jobs/", "stages/", "environment/", "executors/", "SQL/", "StreamingQuery/",
    "api/v1/applications/{}/environment", "api/v1/applications/{}/sql?details=true&planDescription=true",
    "api/v1/applications/{}/jobs", "api/v1/applications/{}/stages?details=true",
)  # fmt: skip


def shown(port, seen):
    """What Spark's pages say now; those that are not there yet are left out."""
    place = f"http://127.0.0.1:{port}/"
    try:
        with urllib.request.urlopen(f"{place}api/v1/applications", timeout=60) as answer:  # noqa: S310 -- the test's own
            number = json.load(answer)[0]["id"]
        for page in PAGES:
            with urllib.request.urlopen(place + page.format(number), timeout=60) as answer:  # noqa: S310
                seen[page] = answer.read().decode()
    except (OSError, IndexError, ValueError):  # it is starting, or has ended
        return


def told(text):
    """The places where a secret stands, or the header of a login."""
    words = [WORD, base64.b64encode(f"me:{WORD}-url".encode()).decode(), base64.b64encode(f"me:{WORD}-info".encode()).decode()]
    return [text[max(0, text.index(word) - 80) : text.index(word) + 40] for word in words if word in text]


@pytest.fixture
def configuration(mysql_server, database, tmp_path):
    """A connector with all kinds of logins, and the registries that take them: one for keys, one for values."""
    user = f"u{uuid.uuid4().hex[:8]}"
    mysql_server.sql(f"CREATE USER {user} IDENTIFIED BY '{WORD}-db'; GRANT ALL ON *.* TO {user}")
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2)", database)
    with FakeRegistry() as keys, FakeRegistry() as values:
        avro = "io.confluent.connect.avro.AvroConverter"
        properties = properties_for(
            mysql_server, topic_prefix=f"secrets{uuid.uuid4().hex[:8]}", database_include_list=database, snapshot_mode="initial"
        ) | {
            "database.user": user,
            "database.password": f"{WORD}-db",
            "key.converter": avro,
            "key.converter.schema.registry.url": keys.url,
            "key.converter.bearer.auth.credentials.source": "OAUTHBEARER",
            "key.converter.bearer.auth.issuer.endpoint.url": f"{keys.url}/token?key={WORD}-query",
            "key.converter.bearer.auth.client.id": "me",
            "key.converter.bearer.auth.client.secret": f"{WORD}-client",
            "value.converter": avro,
            "value.converter.schema.registry.url": values.url.replace("://", f"://me:{WORD}-url@"),
            "value.converter.request.header.X-Key": f"{WORD}-header",
            "value.converter.schema.registry.ssl.keystore.password": f"{WORD}-store",
            "value.converter.max.retries": "0",
        }
        path = tmp_path / "connector.json"
        path.write_text(json.dumps({"name": properties["topic.prefix"], "config": properties}))
        yield path, properties["topic.prefix"], values


def tailrace(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", "")}
    return subprocess.Popen(
        [sys.executable, "-m", "tailrace.cli.main", *map(str, arguments)],
        env={name: text for name, text in environment.items() if text},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def watched(process, port):
    """What it prints until all pages were there, the pages, and the command lines of all its processes."""
    pages, lines = {}, set()

    def watch():
        is_asked_to_end = False
        while process.poll() is None:
            shown(port, pages)
            if set(pages) == set(PAGES) and not is_asked_to_end:
                process.terminate()
                is_asked_to_end = True
            try:
                for each in psutil.Process(process.pid).children(recursive=True):
                    lines.add(" ".join(each.cmdline()))
            except psutil.Error:
                pass
            time.sleep(0.2)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        output = process.communicate(timeout=300)[0]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        watching.join()
    return output, pages, lines


def test_nothing_tells_a_secret(configuration, kafka_broker, tmp_path):
    path, prefix, values = configuration
    port = 24_000 + os.getpid() % 1000
    settings = {"spark.ui.enabled": "true", "spark.ui.port": port, "spark.sql.streaming.metricsEnabled": "true"}
    conf = [each for name, value in settings.items() for each in ("--conf", f"{name}={value}")]
    to = ["--to", f"kafka:{kafka_broker.address}", "--checkpoint", tmp_path / "checkpoint", *conf]
    checked = tailrace("check", path, "--samples", "all").communicate(timeout=300)[0]
    assert told(checked) == []

    process = tailrace("run", path, *to, "--verbose")
    output, pages, lines = watched(process, port)
    assert process.returncode == 0, output
    assert set(pages) == set(PAGES), "each page was there"
    assert any("java" in line for line in lines)
    for what, text in {"output": output, **pages, **{line: line for line in lines}}.items():
        assert told(text) == [], what

    # WHEN a registry refuses the login, and sends back what it was sent
    echo = f"Basic {base64.b64encode(f'me:{WORD}-url'.encode()).decode()} {WORD}-header {WORD}-url"
    values.faults = [(401, {"error_code": 40101, "message": f"who is {echo}"})] * 3
    process = tailrace("run", path, *to, "--available-now", "--verbose")
    output, pages, lines = watched(process, port)
    for what, text in {"output": output, **pages, **{line: line for line in lines}}.items():
        assert told(text) == [], what

    for file in (tmp_path / "checkpoint").rglob("*"):
        if file.is_file():
            assert told(file.read_bytes().decode("latin-1")) == [], file
    reads = read_topics(kafka_broker.address, lambda name: prefix in name)
    assert any(read.topic.startswith("__tailrace-progress") for read in reads)
    for read in reads:
        assert told(f"{read.key!r} {read.value!r} {read.headers!r}") == [], read.topic
