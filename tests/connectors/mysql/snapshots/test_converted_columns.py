"""Custom converters act in a snapshot as in the log: keys, values, defaults, beside masks."""

import json

import pytest

from support.guides import module_of
from support.mysql_settings import settings_for
from support.reading import read_on
from support.snapshotting import taken

TABLE = """
CREATE TABLE t (
  id TINYINT(1) PRIMARY KEY, live TINYINT(1) NOT NULL DEFAULT 1, mail VARCHAR(30) DEFAULT 'nobody@x', born DATE NOT NULL, seen TIMESTAMP(3) NULL,
  masked VARCHAR(9)
)
"""
ROWS = (
    "INSERT INTO t VALUES (0, 0, 'ada@example.org', '0000-00-00', '2024-01-01 00:00:00.500', 'm')",
    "INSERT INTO t VALUES (1, 5, NULL, '2024-02-29', NULL, 'n')",
)


@pytest.mark.mysql
def test_a_snapshot_and_the_log_give_the_same(mysql_server, database, tmp_path, monkeypatch):
    module_of("custom-converters.md", "shop_converters", tmp_path, monkeypatch)
    settings = settings_for(
        mysql_server,
        **{
            "database.include.list": database,
            "snapshot.mode": "initial",
            "converters": "one,zero,mail",
            "one.type": "io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter",
            "zero.type": "io.debezium.connector.binlog.converters.ZeroDateFallbackConverter",
            "zero.fallback.timestamp": "1970-01-01T00:00:00Z",
            "mail.type": "python:shop_converters.MailDomain",
            "mail.columns": f"{database}.t.mail",
            "column.mask.with.3.chars": f"{database}.t.masked,{database}.t.mail",
        },
    )
    mysql_server.sql("; ".join(["SET sql_mode = '', time_zone = '+00:00'", TABLE, *ROWS]), database)
    snapshot = taken(settings)
    mysql_server.sql("; ".join(["SET sql_mode = '', time_zone = '+00:00'", "DELETE FROM t", *ROWS]), database)
    topic = f"test.{database}.t"
    log = read_on(settings, snapshot.then()).topics[topic][-2:]
    rows = [
        {"id": False, "live": False, "mail": "***", "born": None, "seen": "2024-01-01T00:00:00.5Z", "masked": "***"},
        {"id": True, "live": True, "mail": "***", "born": 19782, "seen": "1970-01-01T00:00:00Z", "masked": "***"},
    ]
    for told in (snapshot.topics[topic], log):
        values = [json.loads(each["value"]) for each in told]
        assert [value["payload"]["after"] for value in values] == rows
        assert [json.loads(each["key"])["payload"] for each in told] == [{"id": False}, {"id": True}]
        fields = {each["field"]: each for each in values[0]["schema"]["fields"][1]["fields"]}
        assert fields["live"] == {"type": "boolean", "optional": False, "default": True, "field": "live"}
        assert (fields["mail"]["name"], fields["mail"]["default"]) == ("com.example.MailDomain", "x")
        assert fields["born"]["optional"]
