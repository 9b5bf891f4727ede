"""The DataFrame way's reader where a stream begins with the tables, as Spark drives it, without Spark."""

import json

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes

from support.counting_log import grow
from support.mysql_frames import parse_options
from tailrace.errors import ConfigError, ProgressError, UnsupportedError
from tailrace.source import plans, stream_start
from tailrace.source.cdc_source import INITIAL, CdcReader, PartPartition

ROWS = [-1 - n for n in range(330)]
ALL = ReadAllAvailable()


@pytest.fixture
def options(tmp_path):
    grow(tmp_path / "log", 700)
    return {
        "connector.factory": "support.counting_log:connector",
        "log": str(tmp_path / "log"),
        "start": "0",
        "rows": str(len(ROWS)),
        "snapshot.mode": "initial",
        "schema.history.internal.file.filename": str(tmp_path / "history"),
    }


def run(options, start=INITIAL, *, most=100, limit=ALL, reader=None):
    """Batches as Spark runs them, with a new reader for each: (start, end, the numbers of each task)."""
    batches = []
    for _ in range(most):
        planner = reader or CdcReader(parse_options(options))
        end = json.loads(json.dumps(planner.latestOffset(start, limit)))
        if end == start:
            break
        batches.append((start, end, tasks(options, start, end)))
        start = end
    return batches


def tasks(options, start, end):
    reader = CdcReader(parse_options(options))
    return [sorted(numbers(reader.read(partition))) for partition in reader.partitions(start, end)]


def numbers(batches):
    return [int(text) for batch in batches for text in batch["position"].to_pylist()]


def flat(batches):
    return [n for _, _, held in batches for task in held for n in task]


def test_the_rows_come_first_and_then_the_log_from_their_position_on(options):
    batches = run(options)
    assert sorted(flat(batches)[: len(ROWS)], reverse=True) == ROWS
    assert flat(batches)[len(ROWS) :] == list(range(700))
    assert [len(held) for _, _, held in batches] == [8, 8, 1, 1], "parts are tasks of their own, the log is one"
    assert {end["position"]["n"] for _, end, _ in batches[:3]} == {0}


def test_a_batch_that_is_run_again_gives_the_same_rows_in_every_process(options):
    for start, end, held in run(options):
        assert tasks(options, start, end) == held


def test_the_processing_time_of_rows_is_the_plans(options):
    ((start, end, _), *_) = run(options, most=1)
    partition = CdcReader(parse_options(options)).partitions(start, end)[3]
    assert isinstance(partition, PartPartition)
    assert (partition.part.now_us, partition.part.number) == (end["now_us"], 3)


def test_a_dropped_connection_within_a_part_loses_and_repeats_nothing(options):
    job = parse_options({**options, "fail_every": "1"})
    object.__setattr__(job, "pace", type(job.pace)(retry_seconds=0.01))
    reader = CdcReader(job)
    end = reader.latestOffset(INITIAL, ALL)
    found = [n for partition in reader.partitions(INITIAL, end) for n in numbers(reader.read(partition))]
    assert found == ROWS[: len(found)]
    assert len(found) == 160


def test_a_limit_of_bytes_makes_batches_smaller(options):
    batches = run(options, limit=ReadMaxBytes(100), most=3)
    assert [len(held) for _, _, held in batches] == [5, 5, 5]


def test_initial_only_ends_with_the_rows(options):
    batches = run({**options, "snapshot.mode": "initial_only"})
    assert sorted(flat(batches), reverse=True) == ROWS


def test_available_now_reads_the_rows_and_the_log_to_its_head_of_the_beginning(options):
    reader = CdcReader(parse_options(options))
    reader.prepareForTriggerAvailableNow()
    begun = run(options, most=2, reader=reader)
    grow(options["log"], 1400)
    rest = run(options, start=begun[-1][1], reader=reader)
    assert flat(begun + rest)[len(ROWS) :] == list(range(700))


def test_nothing_to_read_is_no_obstacle(options):
    batches = run({**options, "rows": "0"})
    assert [len(held) for _, _, held in batches] == [0, 1]
    assert flat(batches) == list(range(700))


def test_without_a_file_the_offset_has_the_structures_until_the_rows_are_read(options):
    del options["schema.history.internal.file.filename"]
    (_, first, _), _, (_, last, _) = run(options, most=3)
    for offset in (first, last):
        assert [record["structure"] for record in stream_start.planned_history(offset)] == [0]
        assert len(json.dumps(offset)) < 1500
    assert "snapshot" not in CdcReader(parse_options(options)).latestOffset(last, ALL)


def test_structures_that_do_not_fit_into_offsets_need_a_file(options, monkeypatch):
    ((_, end, _),) = run(options, most=1)
    monkeypatch.setattr(plans, "LARGEST_PLAN", len(end["snapshot"]["plan"]))
    run(options, most=1)
    del options["schema.history.internal.file.filename"]
    with pytest.raises(ConfigError, match=r"schema\.history\.internal\.file\.filename"):
        run(options, most=1)


def test_a_damaged_plan_is_named(options):
    ((_, end, _),) = run(options, most=1)
    damaged = {**end, "snapshot": {**end["snapshot"], "plan": "AAAA"}}
    with pytest.raises(ProgressError, match="plan in an offset of Spark's checkpoint is damaged"):
        CdcReader(parse_options(options)).latestOffset(damaged, ALL)


@pytest.mark.parametrize("mode", ["always", "when_needed"])
def test_modes_that_read_the_tables_again_are_refused(mode):
    document = {"topic.prefix": "t", "database.hostname": "h", "database.user": "u", "database.server.id": "5"}
    with pytest.raises(UnsupportedError, match=f"snapshot.mode={mode}"):
        parse_options({**document, "snapshot.mode": mode})
