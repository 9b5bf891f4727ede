"""Another snapshot of a job that has progress: when it begins, and that its beginning is one commit."""

import json
from contextlib import closing

import pytest
from attrs import evolve

from support.counting_log import CountingLog, counting_job, grow, purge
from support.mysql_settings import properties_for
from tailrace.connectors.base import Lane, Progress
from tailrace.errors import FencedError, PositionLostError
from tailrace.sinks.base import Claim
from tailrace.sinks.files import FilesSink
from tailrace.source import new_snapshot
from tailrace.source.job import Job, Pace
from tailrace.source.slices import Goal, Turn, next_offset
from tailrace.source.task import deliver

SNAPSHOT = Turn(Lane(), True, "", None, snapshot=True)


@pytest.fixture
def job(tmp_path):
    document, pace = {"start": "head", "rows": 30}, Pace(retry_seconds=0.01)
    return counting_job(tmp_path, 700, pace=pace, document=document, snapshot_lanes=1, snapshot_again="always")


def claimed(job):
    with closing(job.new_sink()) as sink:
        return sink.claim(1)


def opened(job):
    with closing(job.new_sink()) as sink:
        return sink.open(0)


def ask(question):
    return question()


def delivered(tmp_path):
    return [
        json.loads(line)["key"]["id"] for file in sorted(tmp_path.glob("out/count.*/*.jsonl")) for line in file.open()
    ]


@pytest.fixture
def streamed(job, tmp_path):
    """A job that has read a snapshot and the log up to 700."""
    new_snapshot.begin(job, claimed(job), 1, ask)
    deliver(job, SNAPSHOT)
    grow(tmp_path / "log", 1400)
    deliver(job, Turn(Lane(), False, "", {"n": 1400}))
    return job


def test_a_run_that_another_has_replaced_begins_none(streamed):
    def confirm():
        raise FencedError("another run has the lease")

    before = claimed(streamed).progress
    with pytest.raises(FencedError):
        new_snapshot.begin(streamed, claimed(streamed), 1, ask, confirm)
    assert claimed(streamed).progress == before


def test_nothing_recorded_is_a_first_start(job):
    assert new_snapshot.at_start(job, claimed(job), ask) == ""


def test_each_start_with_progress_takes_another_if_that_is_wanted(streamed):
    assert "snapshot.mode=always" in new_snapshot.at_start(streamed, claimed(streamed), ask)
    assert new_snapshot.at_start(evolve(streamed, snapshot_again=""), claimed(streamed), ask) == ""
    assert new_snapshot.at_start(evolve(streamed, snapshot_again="when_needed"), claimed(streamed), ask) == ""


def test_a_snapshot_that_is_not_done_is_gone_on_with(streamed):
    new_snapshot.begin(streamed, claimed(streamed), 1, ask)
    assert new_snapshot.at_start(streamed, claimed(streamed), ask) == ""
    deliver(streamed, Turn(Lane(), False, "", None, snapshot=True))
    assert new_snapshot.at_start(streamed, claimed(streamed), ask) != ""


def test_it_is_taken_from_a_new_position_and_changes_in_between_are_not_streamed(streamed, tmp_path):
    before, offset = delivered(tmp_path), {"slice": 7, "floor": opened(streamed).progress.delivered, "until": None}
    assert sorted(before) == list(range(-30, 0)) + list(range(700, 1400))
    grow(tmp_path / "log", 2100)
    claim = new_snapshot.begin(streamed, claimed(streamed), 1, ask)
    assert claim == Claim((Progress(f"{2099:012d}", {"n": 2100}, {"lanes": 1, "read": 0}),))
    grow(tmp_path / "log", 2800)
    deliver(streamed, Turn(Lane(), False, offset["floor"], None, snapshot=True))
    deliver(streamed, Turn(Lane(), False, offset["floor"], {"n": 2800}))
    after = sorted(delivered(tmp_path))
    assert after == sorted(before + list(range(-30, 0)) + list(range(2100, 2800)))
    assert next_offset(offset, [opened(streamed).progress], Goal())["slice"] == 8  # the checkpoint's floor holds


def test_the_schema_history_begins_anew_as_well(streamed):
    assert len(opened(streamed).history) == 3
    new_snapshot.begin(streamed, claimed(streamed), 1, ask)
    assert opened(streamed).history == list(CountingLog(streamed.document["log"]).start_point().history)


def test_one_is_needed_where_the_log_no_longer_reaches_back(streamed, tmp_path):
    needy = evolve(streamed, snapshot_again="when_needed")
    purge(tmp_path / "log", 1500)
    why = new_snapshot.at_start(needy, claimed(needy), ask)
    assert why.startswith(
        "warning: the log no longer reaches back: the log was purged up to 1500. A new snapshot begins"
    )
    assert new_snapshot.after_failure(needy, ask) == why
    assert new_snapshot.at_start(streamed, claimed(streamed), ask).startswith("a new snapshot begins, as at each start")
    assert new_snapshot.after_failure(streamed, ask) == ""


def test_a_snapshot_that_can_not_be_gone_on_with_is_begun_again(streamed, tmp_path):
    new_snapshot.begin(streamed, claimed(streamed), 1, ask)
    purge(tmp_path / "log", 1500)
    assert "snapshot.mode=always wants" in new_snapshot.at_start(streamed, claimed(streamed), ask)
    assert new_snapshot.at_start(evolve(streamed, snapshot_again=""), claimed(streamed), ask) == ""


def test_a_snapshot_that_the_log_does_not_outlast_is_not_tried_again_in_the_same_run(streamed, tmp_path):
    needy = evolve(streamed, snapshot_again="when_needed")
    new_snapshot.begin(needy, claimed(needy), 1, ask)
    purge(tmp_path / "log", 1500)
    assert new_snapshot.after_failure(needy, ask) == ""
    assert new_snapshot.at_start(needy, claimed(needy), ask) != ""


def test_a_task_that_is_still_at_work_is_fenced(streamed, tmp_path):
    with closing(streamed.new_sink()) as old:
        old.open(0)
        again = new_snapshot.another_run(streamed)
        new_snapshot.begin(again, claimed(again), 1, ask)
        with pytest.raises(FencedError):
            old.commit(Progress("0", {"n": 0}), [])
        assert not old.superseded_by_same_run()


def test_without_it_a_log_that_is_lost_stops_the_task(streamed, tmp_path):
    purge(tmp_path / "log", 1500)
    grow(tmp_path / "log", 2100)
    with pytest.raises(PositionLostError):
        deliver(streamed, Turn(Lane(), False, "", {"n": 2100}))


@pytest.fixture
def histories_read(monkeypatch):
    """The lanes whose schema history the sink was asked for."""
    real, lanes = FilesSink.peek_history, []

    def peek_history(sink, lane):
        lanes.append(lane)
        return real(sink, lane)

    monkeypatch.setattr(FilesSink, "peek_history", peek_history)
    return lanes


@pytest.fixture
def begun(tmp_path):
    """Makes a job for a real server that takes a snapshot when one is needed, and has progress at the head of the log."""

    def made(document):
        needy = Job(document=document, source="s", target=f"files:{tmp_path / 'out'}", snapshot_again="when_needed")
        new_snapshot.begin(needy, claimed(needy), 0, ask)
        return needy

    return made


@pytest.mark.mysql
def test_the_schema_history_of_mysql_is_not_read_at_a_start(mysql_server, database, begun, histories_read):
    needy = begun(properties_for(mysql_server, database_include_list=database))
    assert opened(needy).progress is not None
    assert new_snapshot.at_start(needy, claimed(needy), ask) == ""
    assert histories_read == []


@pytest.mark.drivers
def test_that_of_sql_server_tells_what_was_read_before(shop, begun, histories_read):
    needy = begun(shop.properties())
    assert new_snapshot.at_start(needy, claimed(needy), ask) == ""
    shop.sql("INSERT t VALUES (1, N'lost')")
    shop.uncapture("t")
    shop.capture("t")
    why = new_snapshot.at_start(needy, claimed(needy), ask)
    assert "dbo.t: the capture instance dbo_t was dropped before it was read" in why
    assert histories_read == [0, 0]
