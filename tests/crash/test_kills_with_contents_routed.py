"""`tailrace run` with an outbox, tables that share a topic, and topics from a column, killed at random times under load: all of its
processes, its Python, or its Java.

Everything that was written is there once, and in the order of each aggregate, row and key.
"""

import json
import random
import threading
import time
import uuid
from collections import defaultdict

import pytest

from support.every_scenario import only_with_all
from support.kafka_reading import read_topics
from support.live_run import LiveRun
from support.mysql_settings import properties_for

pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, only_with_all]
KILLS = 5
SECONDS = 240
CONNECT, DEBEZIUM = "org.apache.kafka.connect.transforms.", "io.debezium.transforms."
TABLES = {
    "outbox": "id CHAR(36) PRIMARY KEY, aggregatetype VARCHAR(20), aggregateid VARCHAR(20), type VARCHAR(20), payload JSON",
    "shard_1": "id INT PRIMARY KEY, v INT",
    "shard_2": "id INT PRIMARY KEY, v INT",
    "items": "id INT PRIMARY KEY, kind VARCHAR(60), v INT",
}


def transforms(prefix):
    chain = {
        "outbox.type": f"{DEBEZIUM}outbox.EventRouter",
        "outbox.predicate": "isOutbox",
        "outbox.route.topic.replacement": f"{prefix}.event.${{routedByValue}}",
        "shards.type": f"{DEBEZIUM}ByLogicalTableRouter",
        "shards.topic.regex": r"(.*)shard_\d",
        "shards.topic.replacement": "$1shard",
        "row.type": f"{DEBEZIUM}ExtractNewRecordState",
        "row.predicate": "isItems",
        "row.route.by.field": "kind",
        "row.add.fields": "op",
        "row.delete.tombstone.handling.mode": "rewrite",
    }
    found = {"transforms": "outbox,shards,row", "predicates": "isOutbox,isItems"}
    found |= {f"transforms.{name}": text for name, text in chain.items()}
    for name, table in (("isOutbox", "outbox"), ("isItems", "items")):
        found[f"predicates.{name}.type"] = f"{CONNECT}predicates.TopicNameMatches"
        found[f"predicates.{name}.pattern"] = rf".*\.{table}"
    return found


class Writer(threading.Thread):
    """Writes transactions over all tables until it is told to end; `written` counts by what must stay in order."""

    def __init__(self, server, database, prefix, seed):
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.written = defaultdict(int)
        self._server, self._database, self._prefix, self._chance = server, database, prefix, random.Random(seed)

    def run(self):
        while not self.ended.is_set():
            self._server.sql(f"BEGIN; {'; '.join(self._statements())}; COMMIT;", self._database)
            time.sleep(0.02)

    def _statements(self):
        for _ in range(self._chance.randint(1, 6)):
            table, id_ = self._chance.choice(list(TABLES)), self._chance.randint(1, 9)
            count = self.written[table, id_]
            self.written[table, id_] += 1
            if table == "outbox":
                kind, payload = f"kind{id_ % 3}", json.dumps({"n": count})
                values = f"'{uuid.uuid4()}', '{kind}', 'a{id_}', 'made', '{payload}'"
                yield f"INSERT INTO outbox VALUES ({values})"
            elif count == 0:
                more = f", '{self._prefix}.kind.{id_ % 4}'" if table == "items" else ""
                yield f"INSERT INTO {table} VALUES ({id_}{more}, 0)"
            else:
                yield f"UPDATE {table} SET v = {count} WHERE id = {id_}"


def delivered(address, prefix):
    """The numbers of each (table, id), in the order of the topic."""
    found = defaultdict(list)
    for read in read_topics(address, lambda name: name.startswith(prefix)):
        value = json.loads(read.value)
        what = read.topic.removeprefix(f"{prefix}.")
        if what.startswith("event."):
            found["outbox", int(json.loads(read.key)["payload"][1:])].append(json.loads(value["payload"])["n"])
        elif what.startswith("kind."):
            found["items", value["payload"]["id"]].append(value["payload"]["v"])
        else:
            payload = value["payload"]
            found[payload["source"]["table"], payload["after"]["id"]].append(payload["after"]["v"])
    return found


def test_whenever_a_run_is_killed_everything_arrives_once_and_in_order(
    mysql_server, database, kafka_broker, tmp_path
):
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    chance, prefix = random.Random(seed), f"content{uuid.uuid4().hex[:8]}"
    for table, columns in TABLES.items():
        mysql_server.sql(f"CREATE TABLE {table} ({columns})", database)
    config = tmp_path / "connector.json"
    given = {"topic_prefix": prefix, "database_include_list": database, "include_schema_changes": "false"}
    properties = properties_for(mysql_server, **given) | transforms(prefix)
    config.write_text(json.dumps({"name": prefix, "config": properties}))
    run = LiveRun(tmp_path, config, f"kafka:{kafka_broker.address}", [mysql_server.port])
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    writer = Writer(mysql_server, database, prefix, seed)
    writer.start()
    try:
        for _ in range(KILLS):
            run.start()
            deadline = time.monotonic() + SECONDS
            while not run.task_pids():
                assert time.monotonic() < deadline, run.log.read_text()
                assert run.ended() is None, run.log.read_text()
                time.sleep(0.05)
            time.sleep(chance.uniform(0, 4))
            blow = chance.choice([run.kill_all, run.kill_driver, run.kill_java])
            print(blow.__name__)
            assert blow() != 0
        writer.ended.set()
        writer.join()
        run.start_to_the_head()
        assert run.wait(SECONDS) == 0, run.log.read_text()
    finally:
        writer.ended.set()
        run.kill_all()
    wanted = {key: list(range(count)) for key, count in writer.written.items()}
    assert delivered(kafka_broker.address, prefix) == wanted
    assert sum(writer.written.values()) > 100
