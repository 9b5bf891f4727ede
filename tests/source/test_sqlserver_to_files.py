"""`tailrace run` with a SQL Server connector, as Spark really drives it: into files, again and again, in one go and killed."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tailrace.cli.running import Target, load_job
from tailrace.link import Link
from tailrace.source import run
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = [pytest.mark.drivers, pytest.mark.spark, pytest.mark.slow]


@pytest.fixture
def shop(sqlserver: Database) -> Database:
    sqlserver.sql(
        "CREATE TABLE orders (id int PRIMARY KEY, item nvarchar(20)); CREATE TABLE lines (id int PRIMARY KEY)"
    )
    sqlserver.capture("orders")
    sqlserver.capture("lines")
    return sqlserver


@pytest.fixture
def to_the_head(spark: Any, shop: Database, tmp_path: Path) -> Any:
    """Runs the connector to where its log ends now; the records of a topic then, in their order."""
    config = tmp_path / "connector.json"
    given = shop.properties(
        provide_transaction_metadata="true",
        key_converter_schemas_enable="false",
        value_converter_schemas_enable="false",
    )
    config.write_text(json.dumps({"name": "shop", "config": given}))
    target = Target.parse(f"files:{tmp_path / 'out'}", None)

    def deliver() -> Any:
        job, _ = load_job(config, target)
        with closing(Link(lambda *_: None)) as link:
            checkpoint = str(target.checkpoint)
            run.deliver(
                spark, job, checkpoint, link, available_now=True, stop_requested=lambda: False, notice=lambda _: None
            )
        return {
            folder.name: [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.open()]
            for folder in (tmp_path / "out").iterdir()
            if folder.is_dir() and not folder.name.startswith("_")
        }

    return deliver


def test_what_is_captured_between_two_runs_is_delivered_once(shop: Database, to_the_head: Any) -> None:
    told = to_the_head()
    assert [len(records) for records in told.values()] == [2], "the structures, in the topic of the prefix"
    for number in range(2):
        shop.sql(f"BEGIN TRAN; INSERT orders VALUES ({number}, N'x'); INSERT lines VALUES ({number}); COMMIT")
        shop.capture_all()
        delivered = to_the_head()
    prefix = f"s.{shop.name}.dbo"
    for table in ("orders", "lines"):
        assert [record["key"]["id"] for record in delivered[f"{prefix}.{table}"]] == [0, 1]
    assert [record["value"]["status"] for record in delivered["s.transaction"]] == ["BEGIN", "END"] * 2
    assert len(delivered["s"]) == 2
