"""The files sink: what a reader sees, and what happens when a task dies or is taken over at any step."""

import errno
import json
import os

import pytest

from support.counting_log import records_of
from tailrace.connectors.base import Progress
from tailrace.errors import FencedError, ProgressError, SinkLostError
from tailrace.sinks import files, lane_record
from tailrace.sinks.files import FilesSink, topic_folder
from tailrace.sinks.lane_record import LaneRecord


class KilledError(Exception):
    """Stands for the moment in which a process dies."""


@pytest.fixture
def new_sink(tmp_path):
    return lambda source="shop", run="run": FilesSink(tmp_path / "out", source, run)


def progress(n):
    return Progress(f"{n:05d}", {"n": n})


def seen(tmp_path, topic="t"):
    files = sorted((tmp_path / "out" / topic).glob("*.jsonl"))
    return [json.loads(line)["key"]["id"] for file in files for line in file.open()]


def test_nothing_is_seen_before_the_commit_and_everything_after(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", [1, 2])])
    assert seen(tmp_path) == []
    sink.commit(progress(2), [])
    assert seen(tmp_path) == [1, 2]


def test_the_next_task_gets_progress_and_history(new_sink):
    sink = new_sink()
    assert sink.open(0).progress is None
    sink.commit(progress(1), [{"ddl": "a"}])
    sink.commit(progress(2), [{"ddl": "ü"}])
    opened = new_sink().open(0)
    assert opened.progress == progress(2)
    assert opened.history == [{"ddl": "a"}, {"ddl": "ü"}]
    assert new_sink().peek(0) == progress(2)
    assert new_sink().peek_history(0) == opened.history


def test_the_next_task_gets_what_signals_asked_for_and_a_record_of_before_has_none(new_sink, tmp_path):
    asked = {"tables": [{"table": '"db"."ü"'}], "marks": {"file": "0:1"}}
    sink = new_sink()
    sink.open(0)
    sink.commit(Progress("1", {"n": 1}, signalled=asked), [])
    assert new_sink().peek(0).signalled == new_sink().open(0).progress.signalled == asked
    path = tmp_path / "out" / "_tailrace" / "lane-0" / "commit.json"
    fields = json.loads(path.read_text())
    del fields["signalled"]
    path.write_text(json.dumps(fields))
    assert new_sink().open(0).progress == Progress("1", {"n": 1})


def test_names_of_files_sort_in_log_order_within_a_topic(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    for n in range(12):
        sink.write([records_of("t", [n])])
        sink.commit(progress(n), [])
    assert seen(tmp_path) == list(range(12))


def test_records_of_a_topic_that_come_in_pieces_make_one_file_a_commit(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", [1]), records_of("u", [2]), records_of("t", [3])])
    sink.write([records_of("t", list(range(4, 20_000)))])
    sink.commit(progress(2), [])
    assert seen(tmp_path) == [1, *range(3, 20_000)]
    assert len(list((tmp_path / "out" / "t").iterdir())) == 1


def test_a_commit_without_records_makes_no_file(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.commit(progress(1), [])
    assert not list((tmp_path / "out").glob("*/*.jsonl"))


def test_files_whose_commit_was_stored_are_shown_by_the_next_task(new_sink, tmp_path, monkeypatch):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", [1]), records_of("u", [2])])
    with monkeypatch.context() as patch:
        patch.setattr(FilesSink, "_publish", _killed)
        with pytest.raises(KilledError):
            sink.commit(progress(1), [])
    assert seen(tmp_path) == []
    assert new_sink().open(0).progress == progress(1)
    assert seen(tmp_path) == [1]
    assert seen(tmp_path, "u") == [2]


def test_files_whose_commit_was_not_stored_are_removed_by_the_next_task(new_sink, tmp_path, monkeypatch):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", [1])])
    with monkeypatch.context() as patch:
        patch.setattr(LaneRecord, "store", _killed)
        with pytest.raises(KilledError):
            sink.commit(progress(1), [])
    assert new_sink().open(0).progress is None
    assert list((tmp_path / "out").rglob("*.jsonl")) == []


def test_a_file_that_was_growing_for_the_next_commit_is_not_shown_as_one_of_the_last(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", [1])])
    sink.commit(progress(1), [])
    sink.write([records_of("t", list(range(2, 20_000)))])
    new_sink().open(0)
    assert seen(tmp_path) == [1]


def test_history_that_was_not_committed_does_not_count(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.commit(progress(1), [{"ddl": "a"}])
    with (tmp_path / "out/_tailrace/lane-0/history.jsonl").open("a") as file:
        file.write('{"ddl": "of a task that died befo')
    again = new_sink()
    assert again.open(0).history == [{"ddl": "a"}]
    again.commit(progress(2), [{"ddl": "b"}])
    assert new_sink().open(0).history == [{"ddl": "a"}, {"ddl": "b"}]


def test_who_was_taken_over_can_commit_nothing_any_more(new_sink, tmp_path):
    stale = new_sink()
    stale.open(0)
    stale.commit(progress(1), [])
    fresh = new_sink()
    fresh.open(0)
    stale.write([records_of("t", [1])])
    with pytest.raises(FencedError):
        stale.commit(progress(2), [{"ddl": "stale"}])
    fresh.write([records_of("t", [2])])
    fresh.commit(progress(2), [])
    assert seen(tmp_path) == [2]
    assert new_sink().open(0).history == []


def test_who_was_taken_over_by_another_run_is_told_so(new_sink):
    stale = new_sink(run="one")
    stale.open(0)
    new_sink(run="two").open(0)
    with pytest.raises(FencedError, match="another run"):
        stale.commit(progress(1), [])
    assert not stale.superseded_by_same_run()


def test_a_task_whose_files_were_tidied_away_while_it_wrote_is_fenced(new_sink):
    stale = new_sink()
    stale.open(0)
    new_sink().open(0)
    with pytest.raises(FencedError):
        stale.write([records_of("t", list(range(20_000)))])


def test_progress_of_another_source_is_refused(new_sink):
    sink = new_sink("mysql shop")
    sink.open(0)
    sink.commit(progress(1), [])
    with pytest.raises(ProgressError, match="'mysql shop', not of 'mysql bank'"):
        new_sink("mysql bank").open(0)


def test_files_without_progress_are_not_mixed_with_new_ones(new_sink, tmp_path):
    (tmp_path / "out" / "t").mkdir(parents=True)
    (tmp_path / "out" / "t" / "0000000000000001-lane0.jsonl").write_text("{}\n")
    with pytest.raises(ProgressError, match="no progress"):
        new_sink().open(0)


@pytest.mark.parametrize("damage", ["", "{", '{"format": 99}'])
def test_a_damaged_progress_record_stops_loudly(new_sink, tmp_path, damage):
    sink = new_sink()
    sink.open(0)
    sink.commit(progress(1), [])
    (tmp_path / "out/_tailrace/lane-0/commit.json").write_text(damage)
    with pytest.raises(ProgressError, match=r"commit\.json"):
        new_sink().open(0)


def test_a_history_that_is_too_short_stops_loudly(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.commit(progress(1), [{"ddl": "a"}])
    (tmp_path / "out/_tailrace/lane-0/history.jsonl").write_text("")
    with pytest.raises(ProgressError, match=r"history\.jsonl is shorter"):
        new_sink().open(0)


def test_closing_leaves_no_uncommitted_file(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", list(range(20_000)))])
    sink.close()
    assert list((tmp_path / "out").rglob("*.jsonl")) == []


@pytest.mark.parametrize(
    ("topic", "folder"),
    [
        ("inventory.shop.orders", "inventory.shop.orders"),
        ("a b", "a b"),
        ("..", "%2E."),
        ("a/../b", "a%2F..%2Fb"),
        ("_tailrace", "%5Ftailrace"),
        ("ü", "%C3%BC"),
    ],
)
def test_a_topic_is_safe_as_a_folder(topic, folder):
    assert topic_folder(topic) == folder


def test_long_topics_have_folders_of_their_own():
    assert len(topic_folder("a" * 300)) < 255
    assert topic_folder("a" * 300) != topic_folder("a" * 301)


def _killed(*_, **__):
    raise KilledError


def test_a_lane_that_begins_anew_has_a_new_history_and_keeps_its_files(new_sink, tmp_path):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", [1, 2])])
    sink.commit(progress(2), [{"ddl": "a"}])
    begun = Progress("00009", {"n": 9}, {"lanes": 1})
    again = new_sink(run="next")
    assert again.replace_progress(begun, [{"ddl": "x"}]).progress == (begun,)
    again.close()
    with pytest.raises(FencedError, match="another run"):
        sink.commit(progress(3), [])
    last = new_sink(run="next")
    opened = last.open(0)
    assert (opened.progress, opened.history) == (begun, [{"ddl": "x"}])
    last.write([records_of("t", [3])])
    last.commit(progress(10), [{"ddl": "y"}])
    assert seen(tmp_path) == [1, 2, 3]
    assert new_sink().open(0).history == [{"ddl": "x"}, {"ddl": "y"}]


def test_a_late_task_of_a_run_does_not_get_a_lane_that_another_has_claimed(new_sink, tmp_path):
    first, second = new_sink(run="one"), new_sink(run="two")
    assert first.claim(1).progress == (None,)
    first.open(0)
    first.commit(progress(1), [])
    late = new_sink(run="one")
    late.open(0)
    assert second.claim(1).progress == (progress(1),)
    with pytest.raises(FencedError, match="another run"):
        late.commit(progress(2), [])
    for _ in range(2):
        with pytest.raises(FencedError, match="another run"):
            new_sink(run="one").open(0)
        with pytest.raises(FencedError, match="another run"):
            new_sink(run="one").replace_progress(progress(0), [])
        second.open(0)
    second.write([records_of("t", [1])])
    second.commit(progress(2), [])
    assert seen(tmp_path) == [1]


def test_a_run_that_stood_still_before_it_claimed_or_began_anew_changes_nothing(new_sink):
    def confirm():
        raise FencedError("has the lease")

    first, task = new_sink(run="one"), new_sink(run="two")
    first.claim(1)
    with pytest.raises(FencedError, match="has the lease"):
        first.replace_progress(progress(0), [], confirm)
    assert first.peek(0) is None
    new_sink(run="two").claim(1)
    task.open(0)
    with pytest.raises(FencedError, match="has the lease"):
        first.claim(1, confirm)
    task.commit(progress(1), [])
    assert first.recorded().progress == (progress(1),)


def test_a_lane_whose_lock_a_process_has_that_stands_still_is_tried_again(new_sink, monkeypatch):
    monkeypatch.setattr(lane_record, "PATIENCE_SECONDS", 0.1)
    first, other = new_sink(), new_sink()
    first.open(0)
    with first._record.locked():
        for step in (lambda: other.claim(1), lambda: other.open(0)):
            with pytest.raises(SinkLostError, match=r"held by another process for 0\.1 s: it stands still"):
                step()
    other.claim(1)
    assert other.open(0).progress is None


def test_a_lane_of_an_earlier_version_that_claimed_nothing_is_open_to_any_run(new_sink, tmp_path):
    sink = new_sink(run="one")
    sink.claim(1)
    owner = tmp_path / "out" / files.OWN_FOLDER / "lane-0" / "owner.json"
    fields = json.loads(owner.read_bytes())
    del fields["claimed"]
    owner.write_text(json.dumps(fields))
    new_sink(run="two").open(0)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("step", ["spill", "finish", "rename"])
def test_a_full_disk_loses_the_sink_and_what_was_not_committed_and_the_next_one_goes_on(
    new_sink, tmp_path, monkeypatch, number, step
):
    sink = new_sink()
    sink.open(0)
    sink.write([records_of("t", [1])])
    sink.commit(progress(1), [])

    def full(*_, **__):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(files, "SPILL_BYTES", 1)
        if step == "rename":
            patched.setattr(lane_record, "replace_file", full)
        else:
            patched.setattr(files._PendingFile, step, full)
        with pytest.raises(SinkLostError, match=rf"no space is left on the disk of {tmp_path}/out .*: free some"):
            written_and_committed(sink)
    sink.close()
    again = new_sink()
    assert again.open(0).progress == progress(1)
    again.write([records_of("t", [2])])
    again.commit(progress(2), [])
    assert seen(tmp_path) == [1, 2]


def written_and_committed(sink):
    sink.write([records_of("t", [2])])
    sink.commit(progress(2), [])
