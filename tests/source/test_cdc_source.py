"""The DataFrame way's reader, as Spark drives it, without Spark."""

import json

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes

from support.counting_log import grow
from support.mysql_frames import parse_options
from tailrace.errors import ConfigError, StructureError, UnsupportedError
from tailrace.source.cdc_source import INITIAL, CdcReader, read_range


@pytest.fixture
def options(tmp_path):
    grow(tmp_path / "log", 700)
    return {
        "connector.factory": "support.counting_log:connector",
        "log": str(tmp_path / "log"),
        "schema.history.internal.file.filename": str(tmp_path / "history"),
    }


@pytest.fixture
def job(options):
    return parse_options(options)


def numbers(job, start, end):
    return sorted(int(text) for batch in read_range(job, start, end) for text in batch["position"].to_pylist())


def run_to_the_end(job, start=INITIAL, limit=None, reader=None):
    """All batches as Spark would run them: (start, end, what they hold)."""
    reader = reader or CdcReader(job)
    batches = []
    while True:
        end = json.loads(json.dumps(reader.latestOffset(start, limit or ReadAllAvailable())))
        if end == start:
            return batches
        held = [n for partition in reader.partitions(start, end) for n in numbers(job, partition.start, partition.end)]
        batches.append((start, end, held))
        start = end


def test_every_change_is_in_exactly_one_batch(job, options):
    batches = run_to_the_end(job)
    grow(options["log"], 1400)
    batches += run_to_the_end(job, start=batches[-1][1])
    assert [n for _, _, held in batches for n in held] == list(range(1400))


def test_the_first_batch_fixes_where_reading_begins(options):
    job = parse_options({**options, "start": "head"})
    (_, first, held), *rest = run_to_the_end(job)
    assert (first["position"], held, rest) == ({"n": 700}, [], [])


def test_a_limit_cuts_at_boundaries_that_the_planner_knows(job):
    batches = run_to_the_end(job, limit=ReadMaxBytes(100))
    assert [end["position"]["n"] for _, end, _ in batches] == [0, 105, 210, 315, 420, 525, 630, 700]
    assert [n for _, _, held in batches for n in held] == list(range(700))


def test_available_now_ends_at_the_head_of_its_beginning(job, options):
    reader = CdcReader(job)
    reader.prepareForTriggerAvailableNow()
    first = reader.latestOffset(INITIAL, ReadAllAvailable())
    second = reader.latestOffset(first, ReadAllAvailable())
    grow(options["log"], 1400)
    assert second["position"] == {"n": 700}
    assert reader.latestOffset(second, ReadAllAvailable()) is second


@pytest.mark.parametrize("again", range(4))
def test_a_batch_that_is_run_again_gives_the_same_rows_also_across_changes_of_structure(job, options, again):
    grow(options["log"], 1400)
    batches = run_to_the_end(job, limit=ReadMaxBytes(300))
    start, end, held = batches[again]
    assert numbers(job, start, end) == held


def test_the_structures_of_a_range_are_those_of_its_start(job, tmp_path):
    batches = run_to_the_end(job)
    (tmp_path / "history").write_text("")
    with pytest.raises(StructureError):
        numbers(job, *batches[-1][:2])


def test_a_dropped_connection_loses_and_repeats_nothing(options):
    job = parse_options({**options, "fail_every": "7"})
    object.__setattr__(job, "pace", type(job.pace)(retry_seconds=0.01))
    assert [n for _, _, held in run_to_the_end(job) for n in held] == list(range(700))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"output": "avro"}, "output=avro"),
        ({"maxBytesPerTrigger": "1g"}, "maxBytesPerTrigger=1g"),
        ({"maxBytesPerTrigger": "0"}, "maxBytesPerTrigger=0"),
        ({"maxBytePerTrigger": "100"}, "did you mean maxBytesPerTrigger"),
    ],
)
def test_wrong_options_are_named(options, wrong, message):
    with pytest.raises(ConfigError, match=message):
        parse_options({**options, **wrong})


USUAL = {"topic.prefix": "shop", "database.hostname": "db", "database.user": "u", "database.server.id": "5"}


def test_an_older_name_too_is_found_whatever_its_case():
    job = parse_options(USUAL | {"database.allowpublickeyretrieval": "true"})
    assert job.document["database.allowPublicKeyRetrieval"] == "true"
    assert job.warnings == ()


def test_a_name_that_is_no_property_is_a_warning_and_with_strict_an_error():
    (warning,) = parse_options(USUAL | {"frobnication": "1"}).warnings
    assert warning.startswith("frobnication is not a property of the MySQL connector")
    with pytest.raises(ConfigError, match="frobnication is not a property"):
        parse_options(USUAL | {"frobnication": "1", "strict": "true"})
    with pytest.raises(ConfigError, match="strict=yes: it must be true or false"):
        parse_options(USUAL | {"strict": "yes"})


def test_a_dataframe_tells_notifications_in_the_log_only():
    sink = {"notification.enabled.channels": "log,sink", "notification.sink.topic.name": "told"}
    with pytest.raises(UnsupportedError, match=r"channels=log,sink: a DataFrame tells notifications in the log only"):
        parse_options(USUAL | sink)


@pytest.mark.parametrize(
    ("given", "takes"),
    [
        ({}, False),
        ({"signal.data.collection": "ops.signals"}, True),
        ({"signal.data.collection": "ops.signals", "signal.enabled.channels": "file"}, True),
        ({"signal.enabled.channels": "file"}, True),
        ({"signal.data.collection": "ops.signals", "snapshot.mode": "initial_only"}, False),
    ],
)
def test_signals_are_looked_for_where_a_channel_has_a_place(given, takes):
    assert parse_options(USUAL | given).takes_signals is takes


def test_options_are_debeziums_properties_over_those_of_a_file(tmp_path):
    config = {"name": "x", "config": {"topic.prefix": "shop", "database.port": 3307, "database.hostname": "db"}}
    (tmp_path / "c.json").write_text(json.dumps(config))
    job = parse_options(
        {
            "config": str(tmp_path / "c.json"),
            "database.port": "3308",
            "database.user": "u",
            "database.server.id": "5",
            "snapshot.mode": "no_data",
            "database.connectiontimezone": "UTC",
        }
    )
    assert job.document["database.port"] == "3308"
    assert job.document["topic.prefix"] == "shop"
    assert job.document["database.connectionTimeZone"] == "UTC"
    assert job.document["connector.class"] == "io.debezium.connector.mysql.MySqlConnector"
