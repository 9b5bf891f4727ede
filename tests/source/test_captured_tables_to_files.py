"""`tailrace run` with a connector of captured tables, as Spark really drives it: into files, again and again."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.captured_shops import Shop, plain_properties, shop_of
from support.every_scenario import only_with_all
from tailrace.link import Link
from tailrace.source import run
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target

pytestmark = [pytest.mark.drivers, pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(params=[pytest.param("sqlserver", marks=only_with_all), "db2"])
def shop(request: pytest.FixtureRequest) -> Shop:
    made = shop_of(request)
    made.sql("CREATE TABLE S.ORDERS (ID INTEGER NOT NULL PRIMARY KEY, ITEM VARCHAR(20))")
    made.sql("CREATE TABLE S.LINES (ID INTEGER NOT NULL PRIMARY KEY)")
    made.capture("ORDERS", "LINES")
    return made


@pytest.fixture
def to_the_head(spark: Any, shop: Shop, tmp_path: Path) -> Any:
    """Runs the connector to where its log ends now; the records of a topic then, in their order."""
    config = tmp_path / "connector.json"
    given = plain_properties(shop, provide_transaction_metadata="true")
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


def test_what_is_captured_between_two_runs_is_delivered_once(shop: Shop, to_the_head: Any) -> None:
    told = to_the_head()
    assert [len(records) for records in told.values()] == [2], "the structures, in the topic of the prefix"
    for number in range(2):
        shop.sql(f"INSERT INTO S.ORDERS VALUES ({number}, 'x')", f"INSERT INTO S.LINES VALUES ({number})")
        shop.capture_all()
        delivered = to_the_head()
    for table in ("ORDERS", "LINES"):
        assert [record["key"]["ID"] for record in delivered[f"s.{shop.topic}.{table}"]] == [0, 1]
    assert [record["value"]["status"] for record in delivered["s.transaction"]] == ["BEGIN", "END"] * 2
    assert len(delivered["s"]) == 2
