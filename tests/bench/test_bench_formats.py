"""What the benchmark of formats and transforms expects of each case, and what it shows."""

import re
import subprocess
import sys

import pytest
from bench.formats import page, plan, tables
from bench.into_kafka.logs import Data
from bench.measuring.observing import CountError
from bench.measuring.results import Results

from bench import workloads
from tailrace.config.properties.connect import JSON

CASES = {case.label: case for case in plan.cases(1000, 1)}
FIGURES = {"python_cpu": 2.0, "java_cpu": 0.5, "python_peak_mb": 700, "java_peak_mb": 400, "records": 1000}


def log_of(case):
    """What the log of a case has."""
    counts = workloads.counted(case.workload, case.changes)
    return Data("d", (case.workload,), {}, counts["changes"] + counts["deletes"], 4)


def statements(changes):
    return list(workloads.WORKLOADS["outbox"][1](changes))


def test_topics_and_numbers_follow_from_the_chain():
    found = {label: plan.delivered(log_of(case), case) for label, case in CASES.items()}
    assert found["orders, avro, none"].topics("p") == ["p.d.orders"]
    assert found["orders, avro, none"].by_topic == {"d.orders": log_of(CASES["orders, avro, none"]).records}
    assert found["orders, json, unwrap"].by_topic == {"orders": workloads.counted("orders", 1000)["changes"]}
    assert found["orders, json, unwrap"].marker("p") == "p.marker"
    assert found["outbox, json, outbox"].topics("p") == ["p.order", "p.customer", "p.invoice"]
    assert found["outbox, json, outbox"].marker("p") == "p.marker"


def test_the_router_renames_to_the_topics_that_are_expected():
    case = CASES["orders, json, unwrap"]
    given = plan.chains.transforms(case.chain, "p")
    renamed = re.sub(given["transforms.route.regex"], r"\1.\3", "p.d.orders")
    assert [renamed] == plan.delivered(log_of(case), case).topics("p")


@pytest.mark.parametrize("changes", [1000, 1005, 997])
def test_events_of_the_outbox_are_counted_as_its_statements_insert_them(changes):
    inserts = workloads.counted("outbox", changes)["changes"] - workloads.counted("outbox", changes)["deletes"]
    numbers = [0, 0, 0]
    for n in range(1, inserts + 1):
        numbers[n % 3] += 1
    assert list(workloads.outbox_events(changes).values()) == numbers
    last = next(each for each in statements(changes) if each.startswith("CALL"))
    assert sum(map(int, re.findall(r"\d+", last))) == inserts


@pytest.mark.parametrize("wrong", [{"p.order": 266}, {"p.marker": 2}, {"p.other": 1}])
def test_another_number_or_topic_is_an_error(wrong):
    case = CASES["outbox, json, outbox"]
    data = plan.delivered(log_of(case), case)
    right = {"p.order": 266, "p.customer": 267, "p.invoice": 267, "p.marker": 1}
    data.check(right, "p")
    with pytest.raises(CountError, match="by topic"):
        data.check(right | {name: count + (name == "p.order") for name, count in wrong.items()}, "p")


def test_both_sides_get_one_converter_for_keys_and_values():
    avro, plain = (plan.chains.converters(each, registry="http://r") for each in plan.chains.FORMATS[::-1])
    assert avro["key.converter"] == avro["value.converter"] == "io.confluent.connect.avro.AvroConverter"
    assert avro["value.converter.schema.registry.url"] == "http://r"
    assert plain["value.converter"] == JSON
    assert plain["value.converter.schemas.enable"] == "false"


def test_the_table_and_the_page_compare_both_sides(tmp_path):
    case = CASES["orders, avro, unwrap"]
    machine = {"cores": 2, "memory_gb": 24, "architecture": "x86_64"}
    results = Results.begin(tmp_path / "r.jsonl", {"date": "2026-11-27", "machine": machine, "versions": {"Debezium": "3"}})
    for side, rate, cpu in (("tailrace", 400, 0.5), ("Debezium", 20, 30.0)):
        figures = {**FIGURES, "rate": rate, "rate_from_start": rate // 2, "java_cpu": cpu}
        results.add(tables.KIND, {**case.key(), "side": side, "round": 0}, figures)
    assert "| orders | avro | unwrap | 1,000 | 1,000 | 1 | 400 | 20 | 20.0 | 200 | 10 |" in tables.rates(results, [case])
    assert "| orders | avro | unwrap | 2.00 | 0.50 | 30.00 | 15.0 | 12.0 | 700 | 400 | 400 |" in tables.costs(results, [case])
    assert "expanded" in page.section(results, [case])


def test_the_command_explains_itself():
    told = subprocess.run([sys.executable, "-m", "bench.formats", "--help"], capture_output=True, text=True, check=True)
    assert "--continue" in told.stdout
