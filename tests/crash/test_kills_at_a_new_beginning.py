"""A kill right before and right after the commit that begins another snapshot: the one leaves everything as it was, the
other a snapshot that whoever comes next goes on with, once. Without Spark, task after task.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve

from support.kafka_reading import read_topics
from support.snapshotting import linear
from tailrace import failpoints
from tailrace.connectors.base import Lane
from tailrace.source import new_snapshot
from tailrace.source.job import Job, Pace
from tailrace.source.slices import Turn
from tailrace.source.task import deliver

TESTS = Path(__file__).parents[1]
SECONDS = 90
ROWS = 300
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.slow]


def test_a_kill_around_the_beginning_of_another_snapshot_leaves_none_half_begun(
    mysql_server, kafka_broker, database, tmp_path
):
    job = Job(
        document=document(mysql_server, database),
        source=f"mysql {database}",
        target=f"kafka:{kafka_broker.address}",
        pace=Pace(commit_seconds=0.1),
        snapshot_lanes=1,
        snapshot_again="always",
    )
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)", database)
    mysql_server.sql(f"INSERT INTO t VALUES {', '.join(f'({n}, 0)' for n in range(ROWS))}", database)

    new_snapshot.begin(job, claimed(job, 1), 1, ask)
    take_turn(job, 1, snapshot=True)
    claimed(job, 2)
    mysql_server.sql("UPDATE t SET v = 1 WHERE id < 5", database)
    for lane in (0, 1):  # which are apart then
        take_turn(job, 2, lane, until=job.new_connector().head())
        mysql_server.sql("DELETE FROM t WHERE id = 20 + (SELECT COUNT(*) FROM (SELECT * FROM t) a) % 2", database)
    before = claimed(job, 2)
    assert len({each.delivered for each in before.progress}) == 2

    begin_and_die(job, tmp_path, "sink.before-anew=kill@1")
    assert claimed(job, 2) == before
    assert "snapshot.mode=always" in new_snapshot.at_start(job, before, ask)
    begin_and_die(job, tmp_path, "sink.after-anew=kill@1")
    begun = claimed(job, 1)
    assert begun.lanes == 1
    assert begun.progress[0].delivered > max(each.delivered for each in before.progress)
    assert new_snapshot.at_start(job, begun, ask) == "", "it is gone on with"

    mysql_server.sql("UPDATE t SET v = v + 10 WHERE id < 15", database)
    take_turn(job, 1, snapshot=True)
    take_turn(job, 1, until=job.new_connector().head())
    topic = f"{database}.{database}.t"
    records = [(r.key, json.loads(r.value)) for r in read_topics(kafka_broker.address, [topic]) if r.value]
    ops = "".join(value["op"] for _, value in records)
    start = ops.rindex("r" * (ROWS - 2))
    assert ops == "r" * ROWS + ops[ROWS:start] + "r" * (ROWS - 2) + "u" * 15
    final = linear(records[start : start + ROWS - 2], records[start + ROWS - 2 :])
    assert {row["id"]: row["v"] for row in final.values()} == rows(mysql_server, database)
    structures = [json.loads(r.value) for r in read_topics(kafka_broker.address, [database])]
    # as in Debezium, a snapshot announces tables of all databases: others on this server may have a table t as well
    of_t = [each for each in structures if "CREATE TABLE `t`" in (each["ddl"] or "")]
    assert [each["databaseName"] for each in of_t].count(database) == 2


def claimed(job, lanes):
    with closing(job.new_sink()) as sink:
        return sink.claim(lanes)


def take_turn(job, lanes, lane=0, *, until=None, snapshot=False):
    deliver(evolve(job, lanes=lanes), Turn(Lane(lane, lanes), True, "", until, snapshot=snapshot))


def begin_and_die(job, folder, armed):
    """Another run begins a snapshot in place of what is recorded, and is killed."""
    path = folder / "job.json"
    path.write_text(new_snapshot.another_run(evolve(job, lanes=2)).to_json())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), failpoints.VARIABLE: armed}
    command = [sys.executable, str(TESTS / "support" / "begin_anew.py"), str(path)]
    died = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr


def ask(question):
    return question()


def document(server, name):
    config = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "topic.prefix": name,
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
        "database.server.id": "7533",
        "database.include.list": name,
        "snapshot.mode": "always",
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
    }
    return {"name": name, "config": config}


def rows(server, database):
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, v FROM t")
        return dict(cursor.fetchall())
