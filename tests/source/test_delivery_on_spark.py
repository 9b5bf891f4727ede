"""The direct way and the DataFrame way as Spark really drives them."""

import itertools
import json
import os
import re
import shutil
import signal
import time
from contextlib import closing, suppress
from types import SimpleNamespace

import psutil
import pytest
from attrs import evolve

from support.counting_log import counting_job, delivered, grow, purge
from support.every_scenario import only_with_all
from tailrace.errors import ConfigError, PositionLostError, ProgressError
from tailrace.link import Link
from tailrace.source import run
from tailrace.source.job import Pace
from tailrace.source.slots import require_slots
from tailrace.source.stop_time import StopTime
from tailrace.streaming.failures import is_stop, unwrapped

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture
def job(tmp_path):
    return counting_job(tmp_path, 700)


@pytest.fixture
def checkpoint(tmp_path):
    return tmp_path / "checkpoint"


def to_the_head(spark, job, checkpoint):
    with closing(Link(lambda kind, content: None)) as link:
        query = run.start(spark, evolve(job, link=link.address), str(checkpoint), link, available_now=True)
        assert run.wait(query, link, StopTime(lambda: False)) is False
    return query


def deliver_all(spark, job, checkpoint, told, stop_requested=lambda: False, *, available_now=True):
    """A whole run; returns whether it was stopped, and what it has to say goes to `told`."""
    with closing(Link(lambda kind, content: None)) as link:
        return run.deliver(
            spark,
            job,
            str(checkpoint),
            link,
            available_now=available_now,
            stop_requested=stop_requested,
            notice=told.append,
        )


def test_available_now_delivers_up_to_the_head_and_ends_again_and_again(spark, job, checkpoint, tmp_path):
    to_the_head(spark, job, checkpoint)
    assert delivered(tmp_path) == list(range(700))
    to_the_head(spark, job, checkpoint)
    grow(tmp_path / "log", 1400)
    to_the_head(spark, job, checkpoint)
    assert delivered(tmp_path) == list(range(1400))


def test_the_sinks_progress_counts_when_the_checkpoint_is_gone(spark, job, checkpoint, tmp_path):
    to_the_head(spark, job, checkpoint)
    shutil.rmtree(checkpoint)
    grow(tmp_path / "log", 1400)
    to_the_head(spark, job, checkpoint)
    assert delivered(tmp_path) == list(range(1400))


def test_a_checkpoint_without_the_sinks_progress_stops_loudly(spark, job, checkpoint, tmp_path):
    to_the_head(spark, job, checkpoint)
    shutil.rmtree(tmp_path / "out")
    grow(tmp_path / "log", 1400)
    with pytest.raises(Exception) as raised:
        to_the_head(spark, job, checkpoint)
    assert isinstance(unwrapped(raised.value), ProgressError)
    assert delivered(tmp_path) == []


def test_an_error_in_a_task_comes_out_as_it_was_raised(spark, job, checkpoint, tmp_path):
    failing = evolve(job, document={**job.document, "fatal_at": 350})
    with pytest.raises(Exception) as raised:
        to_the_head(spark, failing, checkpoint)
    error = unwrapped(raised.value)
    assert type(error) is PositionLostError
    assert str(error) == "the log was purged up to 350: begin anew\n  (a second line)"
    to_the_head(spark, job, checkpoint)
    assert delivered(tmp_path) == list(range(700))


def test_a_stop_makes_a_last_commit_and_ends_a_stream(spark, job, checkpoint, tmp_path):
    with closing(Link(lambda kind, content: None)) as link:
        query = run.start(spark, evolve(job, link=link.address), str(checkpoint), link, available_now=False)
        assert run.wait(query, link, StopTime(lambda: len(delivered(tmp_path)) == 700)) is True
    assert query.exception() is None
    assert not query.isActive


def test_a_bounded_run_that_is_stopped_is_not_taken_for_done(spark, job, checkpoint, tmp_path):
    slow = evolve(job, document={**job.document, "pause_seconds": 0.2})
    with closing(Link(lambda kind, content: None)) as link:
        query = run.start(spark, evolve(slow, link=link.address), str(checkpoint), link, available_now=True)
        with suppress(Exception):
            run.wait(query, link, StopTime(lambda: len(delivered(tmp_path)) > 0))
    assert is_stop(query.exception())
    assert 0 < len(delivered(tmp_path)) < 700
    to_the_head(spark, job, checkpoint)
    assert delivered(tmp_path) == list(range(700))


@pytest.mark.parametrize("available_now", [pytest.param(True, marks=only_with_all), False])
def test_a_query_that_somebody_else_stops_is_not_taken_for_done(spark, job, checkpoint, tmp_path, available_now):
    slow = evolve(job, document={**job.document, "pause_seconds": 0.05}, pace=Pace(commit_seconds=0.05))
    told = []

    def end_queries_after_a_commit():
        if len(delivered(tmp_path)) > 100:
            for query in spark.streams.active:
                query.stop()
        return False

    stopped = deliver_all(spark, slow, checkpoint, told, end_queries_after_a_commit, available_now=available_now)
    assert stopped
    assert told == ["Spark's query was stopped by something else than this run; the next one goes on from the last commit"]
    assert 100 < len(delivered(tmp_path)) < 700
    to_the_head(spark, job, checkpoint)
    assert delivered(tmp_path) == list(range(700))


def test_jobs_that_are_cancelled_as_at_ctrl_c_are_begun_again(spark, job, checkpoint, tmp_path):
    slow = evolve(job, document={**job.document, "pause_seconds": 0.05}, pace=Pace(commit_seconds=0.05))
    told, cancelled = [], []

    def cancel_after_a_commit():
        if not cancelled and len(delivered(tmp_path)) > 100:
            cancelled.append(True)
            spark.sparkContext.cancelAllJobs()
        return False

    deliver_all(spark, slow, checkpoint, told, cancel_after_a_commit)
    assert told == ["Spark's jobs were cancelled, as Ctrl-C in a script does; another goes on from the last commit in 0 s"]
    assert delivered(tmp_path) == list(range(700))


def test_another_task_goes_on_where_a_killed_one_had_committed(spark, job, checkpoint, tmp_path):
    slow = evolve(job, document={**job.document, "pause_seconds": 0.05}, pace=Pace(commit_seconds=0.05))
    told, killed = [], []

    def kill_after_a_commit():
        owner = tmp_path / "out/_tailrace/lane-0/owner.json"
        if not killed and len(delivered(tmp_path)) > 100:
            killed.append(json.loads(owner.read_text())["pid"])
            os.kill(killed[0], signal.SIGKILL)
        return False

    deliver_all(spark, slow, checkpoint, told, kill_after_a_commit)
    assert killed
    assert told == ["a process of Spark's has died; another goes on from the last commit in 0 s"]
    assert delivered(tmp_path) == list(range(700))


def test_a_killed_planner_is_followed_by_another(spark, job, checkpoint, tmp_path):
    short = evolve(job, pace=Pace(commit_seconds=0.05, slice_seconds=1))
    told, killed, deadline = [], [], time.monotonic() + 90

    def kill_the_planner():
        if not killed and len(delivered(tmp_path)) == 700:
            killed.extend(planners())
            for process in killed:
                process.kill()
        if told:
            grow(tmp_path / "log", 1400)
        return time.monotonic() > deadline or len(delivered(tmp_path)) == 1400

    deliver_all(spark, short, checkpoint, told, kill_the_planner, available_now=False)
    assert len(killed) == 1
    assert delivered(tmp_path) == list(range(1400))
    assert told == ["a process of Spark's has died; another goes on from the last commit in 0 s"]


@pytest.fixture
def failing(spark, tmp_path, monkeypatch):
    """Queries whose task fails in Java, in place of the first ones of a run: so many, or all."""

    def put_before(count):
        real, numbers = run.start, itertools.count()

        def start(*arguments, **options):
            number = next(numbers)
            if number >= count:
                return real(*arguments, **options)
            rows = spark.readStream.format("rate").option("rowsPerSecond", 50).load().selectExpr("reflect('java.lang.Integer', 'parseInt', 'no number')")
            place = str(tmp_path / f"failing {number}")
            return rows.writeStream.format("noop").option("checkpointLocation", place).start()

        monkeypatch.setattr(run, "start", start)

    return put_before


def test_a_task_that_failed_within_spark_is_followed_by_another(spark, job, checkpoint, tmp_path, failing):
    told = []
    failing(1)
    deliver_all(spark, job, checkpoint, told)
    assert delivered(tmp_path) == list(range(700))
    (line,) = told
    # Which of the stage's tasks fails first is not told.
    assert re.match(r"a task has failed within Spark \(Lost task \d\.0 in stage ", line)
    assert "InvocationTargetException" in line
    assert line.endswith("another goes on from the last commit in 0 s")


def test_but_not_when_each_of_four_fails(spark, job, checkpoint, tmp_path, failing, monkeypatch):
    told = []
    monkeypatch.setattr(run, "paused", lambda seconds, stopping: False)
    failing(10)
    with pytest.raises(Exception, match="no number"):
        deliver_all(spark, job, checkpoint, told)
    assert len(told) == 3
    assert delivered(tmp_path) == []


def test_a_stop_is_clean_also_when_the_planner_is_dead(spark, job, checkpoint, tmp_path):
    killed = []

    def kill_the_planner_and_stop():
        if not killed and len(delivered(tmp_path)) == 700:
            killed.extend(planners())
            for process in killed:
                process.kill()
        return bool(killed)

    stopped = deliver_all(spark, job, checkpoint, [], kill_the_planner_and_stop, available_now=False)
    assert stopped
    assert len(killed) == 1


def planners():
    children = psutil.Process().children(recursive=True)
    alive = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in alive if any("python_streaming_source_runner" in word for word in child.cmdline())]


def test_a_new_job_begins_with_the_snapshot_and_goes_on_with_the_log(spark, job, checkpoint, tmp_path):
    told = []
    with_snapshot = evolve(job, document={**job.document, "rows": 100}, snapshot_lanes=1)
    deliver_all(spark, with_snapshot, checkpoint, told)
    assert delivered(tmp_path) == list(range(-100, 700))
    deliver_all(spark, with_snapshot, checkpoint, told)
    assert delivered(tmp_path) == list(range(-100, 700))
    assert told == ["reading the snapshot with 1 lane"], "once"


def test_only_a_snapshot_is_read_where_that_is_wanted(spark, job, checkpoint, tmp_path):
    only = evolve(job, document={**job.document, "rows": 100}, snapshot_lanes=1, only_snapshot=True)
    deliver_all(spark, only, checkpoint, [])
    deliver_all(spark, only, checkpoint, [])
    assert delivered(tmp_path) == list(range(-100, 0))


def test_each_run_begins_with_another_snapshot_where_that_is_wanted(spark, job, checkpoint, tmp_path):
    told, document = [], {**job.document, "rows": 10, "start": "head"}
    always = evolve(job, document=document, snapshot_lanes=1, snapshot_again="always")
    deliver_all(spark, always, checkpoint, told)
    grow(tmp_path / "log", 1400)
    deliver_all(spark, always, checkpoint, told)
    assert delivered(tmp_path) == sorted(2 * [*range(-10, 0)])
    reading = "reading the snapshot with 1 lane"
    assert told == [reading, "a new snapshot begins, as at each start with snapshot.mode=always", reading]


def test_a_stream_whose_log_is_lost_goes_on_with_a_new_snapshot(spark, job, checkpoint, tmp_path):
    told, document, deadline = [], {**job.document, "rows": 10, "start": "head"}, time.monotonic() + 240
    pace = Pace(commit_seconds=0.05)
    needy = evolve(job, document=document, pace=pace, snapshot_lanes=1, snapshot_again="when_needed")
    deliver_all(spark, needy, checkpoint, [])
    grow(tmp_path / "log", 1400)

    def lose_the_log():
        last, is_lost = delivered(tmp_path)[-1], bool(told)
        if last == 1399 and not is_lost:
            purge(tmp_path / "log", 2100)
            grow(tmp_path / "log", 2100)
        elif is_lost and delivered(tmp_path).count(-1) == 2:
            grow(tmp_path / "log", 2800)
        return time.monotonic() > deadline or last == 2799

    deliver_all(spark, needy, checkpoint, told, lose_the_log, available_now=False)
    assert told[0].startswith("warning: the log no longer reaches back: the log was purged up to 2100. A new snapshot begins")
    assert delivered(tmp_path) == [*sorted(2 * [*range(-10, 0)]), *range(700, 1400), *range(2100, 2800)]


def test_more_lanes_than_cores_are_refused(spark, job):
    with pytest.raises(ConfigError, match=r"tasks\.max=3 wants 3 tasks at once, and Spark has 2 cores"):
        require_slots(spark, evolve(job, lanes=3), print, lambda: False)


def test_speculative_execution_is_refused():
    session = SimpleNamespace(conf={"spark.speculation": "true"})
    with pytest.raises(ConfigError, match=r"spark\.speculation"):
        run.refuse_speculation(session)


def test_the_dataframe_way_is_found_by_its_name_and_gives_each_record_once(spark, job, checkpoint, tmp_path):
    options = {
        "connector.factory": "support.counting_log:connector",
        "log": str(tmp_path / "log"),
        "header": "true",
        "schema.history.internal.file.filename": str(tmp_path / "history"),
        "maxBytesPerTrigger": "300",
    }

    def to_files():
        records = spark.readStream.format("mysql-cdc").options(**options).load()
        writer = records.writeStream.format("json").option("checkpointLocation", str(checkpoint))
        query = writer.trigger(availableNow=True).start(str(tmp_path / "out"))
        query.awaitTermination()
        return [progress.numInputRows for progress in query.recentProgress]

    assert to_files() == [0, 301, 301, 98]
    grow(tmp_path / "log", 1400)
    to_files()
    rows = spark.read.json(str(tmp_path / "out")).orderBy("position").collect()
    assert [int(row.position) for row in rows] == list(range(1400))
    assert json.loads(rows[8].value)["after"]["id"] == 8
    assert rows[9].value is None
    assert [header.key for header in rows[3].headers] == ["odd", "n"]
