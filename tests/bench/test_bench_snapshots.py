"""What the snapshots' benchmark calculates: sums of tables, the log's size over time, plans, tables, pages."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from bench.measuring.results import Results
from bench.snapshots import page, plan, tables
from bench.snapshots.changes_writer import CHANGES, Keys, transaction
from bench.snapshots.log_bytes import LogSize, bytes_read, counting_env
from bench.snapshots.replayed import Fold, ReplayError, Sums
from bench.workloads import ORDERS_COLUMNS

from bench import pages, workloads

HEADER = {
    "date": "2026-11-21",
    "machine": {"cores": 2, "memory_gb": 24, "architecture": "x86_64"},
    "versions": {"Debezium": "3.6.1.Final"},
}
MAIN = plan.Case("default", "lz4", "off", 1000, 1)


def record(fold, op, id_, *, note="n", after=True):
    row = dict.fromkeys(ORDERS_COLUMNS, 1) | {"id": id_, "note": note}
    value = {"op": op, "after": row if after else None}
    fold.take(json.dumps({"id": id_}).encode(), json.dumps(value).encode())


def test_a_topic_amounts_to_the_last_value_of_each_key_whatever_came_before():
    told, there = Fold(3000), Fold(3000)
    for id_ in (7, 1500, 1501):
        record(told, "r", id_)
    record(told, "u", 7, note="changed")
    record(told, "d", 1500, after=False)
    told.take(b'{"id": 1500}', None)
    record(told, "c", 2999)
    record(there, "r", 7, note="changed")
    record(there, "r", 1501)
    record(there, "r", 2999)
    assert not len(told.sums().difference(there.sums()))
    assert (told.sums().records, told.sums().reads) == (7, 3)


@pytest.mark.parametrize("fault", ["lost", "other", "too much"])
def test_a_row_that_is_wrong_shows_in_its_range(fault):
    told, there = Fold(3000), Fold(3000)
    for id_ in (7, 1500):
        record(there, "r", id_)
    record(told, "r", 7)
    if fault == "other":
        record(told, "r", 1500, note="another")
    elif fault == "too much":
        record(told, "r", 1500)
        record(told, "r", 1501)
    assert told.sums().difference(there.sums()).tolist() == [1]


@pytest.mark.parametrize("first", ["r", "c"])
def test_a_snapshots_row_comes_once_and_before_all_changes_of_its_key(first):
    fold = Fold(10)
    record(fold, first, 5)
    with pytest.raises(ReplayError, match="key 5"):
        record(fold, "r", 5)


def test_sums_of_parts_are_the_sums_of_the_whole():
    seed = random.randrange(2**32)
    print("seed", seed)
    ids = random.Random(seed).sample(range(1, 5000), 400)
    parts, whole = [Fold(5000), Fold(5000)], Fold(5000)
    for number, id_ in enumerate(ids):
        record(parts[number % 2], "r", id_)
        record(whole, "r", id_)
    assert not len(parts[0].sums().plus(parts[1].sums()).difference(whole.sums()))


def test_sums_go_around_at_64_bits():
    most = np.array([2**64 - 1], np.uint64)
    one = Sums(np.ones(1, np.uint64), most, most)
    assert one.plus(one).added.tolist() == [2**64 - 2]


def test_the_logs_size_at_a_moment_is_in_proportion_between_two_looks():
    size = LogSize("mysql-bin.000001")
    for moment, bytes_ in ((10.0, 100), (20.0, 300)):
        size.note(moment, bytes_)
    assert [size.at(moment) for moment in (0.0, 10.0, 15.0, 20.0, 99.0)] == [100, 100, 200, 300, 300]


def test_each_transaction_of_the_writer_changes_as_many_rows_as_it_says():
    keys = Keys(200, 1)
    there = set(range(2, 402, 2))
    for number in range(30):
        text = transaction(keys, number).split(";")
        inserted = {int(each) for each in text[1].split("FROM (SELECT ")[1].replace(" n UNION ALL SELECT", "").split(" n")[0].split()}
        updated = _listed(text[2])
        deleted = _listed(text[3])
        moves = [(int(sql.split("id = ")[2]), int(sql.split("id = ")[1].split(",")[0])) for sql in text[4:-1]]
        sources, targets = {source for source, _ in moves}, {target for _, target in moves}
        assert len(inserted) + len(updated) + len(deleted) + len(moves) == CHANGES
        assert (updated | deleted | sources) <= there
        assert not (inserted | targets) & there
        there = (there - deleted - sources) | inserted | targets


def _listed(sql):
    return {int(each) for each in sql.partition(" IN (")[2].rstrip(")").split(",")}


def test_bytes_of_the_log_are_counted_in_processes_that_know_nothing_of_it(tmp_path):
    program = """
from tailrace.connectors.mysql.stream import BinlogStream
class Socket:
    def recv_into(self, buffer):
        if not pieces:
            raise BlockingIOError
        return pieces.pop()
pieces = [1000, 24]
stream = object.__new__(BinlogStream)
stream._socket = Socket()
assert stream._receive(memoryview(bytearray(5000))) == 1024
import os
os._exit(0)
"""
    env = os.environ | counting_env(tmp_path / "counts")
    subprocess.run([sys.executable, "-c", program], env=env, check=True)
    assert bytes_read(tmp_path / "counts") == [1024]


def test_rows_are_those_that_the_workload_has_with_keys_further_apart():
    assert "(n * 2) % 997" in workloads.rows("orders", 1, 10, step=2)
    assert "SELECT n, n * 1000003 + 1, " in workloads.rows("wide", 1, 10)


def test_the_main_case_is_measured_first_and_alone_when_it_has_to_be_quick():
    whole = plan.cases(1000, rounds=1, main_rounds=3, quick=False)
    assert [(case.threads, case.is_main) for case in whole] == [
        ("default", True), ("1", False), ("2", False), ("default", False)
    ]  # fmt: skip
    assert [case.is_main for case in plan.cases(1000, rounds=1, main_rounds=1, quick=True)] == [True]
    assert MAIN.tables == {"orders": 1000, "wide": 50}


def initial_line(side, rate):
    names = [f"{group}_{kind}" for group in ("python", "java", "broker", "mysql") for kind in ("cpu", "peak_mb")]
    names += ["python_shared_peak_mb", "java_shared_peak_mb", "kafka_bytes"]
    return {"rate": rate, "rate_from_start": rate // 2, **dict.fromkeys(names, 4e6)}


def test_the_page_has_a_section_and_the_readme_a_block_of_their_own(tmp_path):
    results = Results.begin(tmp_path / "results.jsonl", HEADER)
    for side, rate in (("tailrace", 400), ("Debezium", 50)):
        results.add("initial", {**MAIN.key(), "side": side, "round": 0}, initial_line(side, rate))
    spread = {"p50": 1.0, "p95": 2.0, "p99": 3.0, "max": 4.0}
    beside = {"rate": 500, "without": spread, "with": {**spread, "p95": 9.5}, "snapshot_rate": 10, "complete": True, "python_cores": 1, "java_cores": 0}
    results.add("incremental", {"side": "tailrace", "rate": 500, "rows": 10}, beside)
    body = page.section(results, [MAIN])
    assert "| default | lz4 | off | 1,050 | 1 | 400 | 50 | 8.0 | 200 | 25 | 4 | 4 |" in body
    assert "| 500 | tailrace | 1.0 | 2.0 | 1.0 | 9.5 | 7.5 | 4.0 | 10 | yes | 1.00 | - |" in body
    assert "a writer inserts" not in body
    old = "# T\n\n## Figures\n\nkept\n"
    once = pages.replace_block(old, page.BEGIN, page.END, page.block(results, [MAIN]), pages.FIGURES)
    assert "| snapshot: rows a second | 400 | 50 |" in once
    assert pages.replace_block(once, page.BEGIN, page.END, page.block(results, [MAIN]), pages.FIGURES) == once
    assert once.endswith("kept\n")


def test_the_table_under_changes_shows_how_much_of_the_log_was_read(tmp_path):
    results = Results.begin(tmp_path / "results.jsonl", HEADER)
    numbers = ("rows", "rate_reached", "rate", "rate_from_start", "python_cpu", "python_peak_mb", "java_peak_mb", "log_seconds", "records")
    line = {**dict.fromkeys(numbers, 3), "log_written_mb": 10.0, "log_received_mb": [10.0, 9.0], "log_read_mb": [9.0, 8.0], "log_read_times": 1.7, "log_read_times_a_task": 0.9}
    results.add("changes", {"rows": 3, "rate": 3}, line)
    assert "| 10 | 19 | 17 | 1.70 | 0.90 | 3 | 3 |" in tables.under_changes(results)


def test_the_command_explains_itself():
    told = subprocess.run([sys.executable, "-m", "bench.snapshots", "--help"], capture_output=True, text=True, check=True)
    assert "--changes-rows" in told.stdout
