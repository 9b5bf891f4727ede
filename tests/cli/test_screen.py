"""What a running job shows."""

import io
import logging
import os
import sys
from contextlib import suppress

import pytest

from tailrace.cli import screen, snapshot_lines
from tailrace.cli.screen import Screen
from tailrace.errors import TailraceError
from tailrace.source.log_lines import LINE
from tailrace.source.snapshot_progress import SnapshotProgress
from tailrace.streaming.totals import Totals, size_text


def figures(task, changes, lane=0, **more):
    return {"task": task, "lane": lane, "changes": changes, "records": changes, "bytes": 10 * changes, "commits": 1, "skipped": 0} | more


def test_figures_of_several_tasks_add_up():
    totals = Totals()
    for each in (figures("a", 5), figures("a", 8), figures("b", 1), figures("b", 3)):
        totals.add(each)
    assert totals.count("changes") == 11
    assert "11 changes · 11 records · 110 B" in str(totals)


def test_figures_of_lanes_at_work_at_once_add_up():
    totals = Totals()
    for each in (figures("a", 5), figures("b", 1, lane=1), figures("a", 8), figures("b", 3, lane=1), figures("c", 2)):
        totals.add(each)
    assert totals.count("changes") == 8 + 3 + 2


def test_lag_and_position_are_those_of_the_latest_commit():
    totals = Totals()
    totals.add(figures("a", 1, lag_ms=1500, delivered="0007"))
    assert str(totals).endswith("lag 1.5 s · at 0007")


def test_records_that_were_skipped_are_told_if_there_are_any():
    totals = Totals()
    totals.add(figures("a", 5))
    assert "skipped" not in str(totals)
    for each in (figures("a", 8, skipped=2), figures("b", 1, skipped=1000)):
        totals.add(each)
    assert " · 1,002 skipped" in str(totals)


@pytest.mark.parametrize(
    ("size", "text"), [(999, "999 B"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"), (5e13, "50.0 TB")]
)
def test_sizes_are_for_people(size, text):
    assert size_text(size) == text


def test_events_go_to_standard_output_and_all_else_to_standard_error(capsys):
    with Screen() as screen:
        screen.say("reading")
        screen.handle("events", ['{"topic":"t","key":{"id":1},"value":null}'])
        screen.handle("notice", "careful [bold]")
        screen.handle("figures", figures("a", 1))
    screen.finish("done")
    out, err = capsys.readouterr()
    assert out == "tombstone t id=1\n"
    assert err.splitlines()[:2] == ["reading", "careful [bold]"]
    assert "done: 1 changes" in err


def test_verbose_events_are_whole(capsys):
    with Screen(verbose=True) as screen:
        screen.handle("events", ['{"topic":"t","key":null,"value":' + "1" * 300 + "}"])
    assert capsys.readouterr().out == '{"topic":"t","key":null,"value":' + "1" * 300 + "}\n"


def part(rows, about, **more):
    return {"rows": rows, "about": about, "chunks": 1, "part": 0, "parts": 1, "done": False, **more}


def snapshot(tables, *, lanes=1, ended=False, waiting=0):
    counts = tables.values()
    sums = {name: sum(each[name] for each in counts) for name in ("rows", "about", "chunks", "done")}
    told = {"lanes": lanes, "before": 0, "tables": len(tables) + waiting, "ended": ended, "of": tables}
    return {"snapshot": {**told, **sums}}


def test_a_snapshot_is_one_plain_line_now_and_then(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(screen.time, "monotonic", lambda: now[0])
    with Screen() as shown:
        for rows in range(0, 4000, 100):
            now[0] += 0.5
            tables = {'"shop"."orders"': part(rows, 8000), '"shop"."items"': part(7, 9)}
            shown.handle("figures", figures("a", rows, **snapshot(tables, waiting=3)))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" · now ") for line in lines] == [
        [
            "snapshot: 1,907 of about 8,009 rows (23 %) · 0 of 5 tables · 2 chunks · 200 rows/s, 200 overall · 0:31 left",
            "shop.orders 23 %, shop.items 77 %",
        ],
        [
            "snapshot: 3,907 of about 8,009 rows (48 %) · 0 of 5 tables · 2 chunks · 200 rows/s, 200 overall · 0:21 left",
            "shop.orders 48 %, shop.items 77 %",
        ],
    ]


def test_the_end_of_a_snapshot_is_a_line_and_then_the_log_is_shown(capsys):
    with Screen() as shown:
        shown.handle("figures", figures("a", 5, **snapshot({"a": part(5, 5, done=True)}, ended=True)))
        assert shown.snapshot.done
        shown.handle("figures", figures("b", 1))
        assert shown.snapshot is None
    assert capsys.readouterr().err.startswith("snapshot done: 5 rows of 1 tables; in this run 0:00")


def test_a_snapshot_beside_the_log_is_shown_below_its_line():
    with Screen() as shown:
        told = snapshot({'"shop"."orders"': part(5, 50)})["snapshot"] | {"beside": True}
        shown.handle("figures", figures("a", 7, snapshot=told))
        line, below = shown._rendered(snapshot_lines.line).splitlines()
    assert "7 changes" in line
    assert below.startswith("incremental snapshot: 5 of about 50 rows (10 %)")


def test_a_snapshot_after_another_is_counted_anew():
    with Screen() as shown:
        shown.handle("figures", figures("a", 5, **snapshot({"a": part(5, 5, done=True)}, ended=True)))
        shown.handle("figures", figures("a", 7, **snapshot({"a": part(2, 9)})))
        assert (shown.snapshot.rows, shown.snapshot.done) == (2, False)


def test_a_terminal_has_a_line_for_each_table_that_is_being_read():
    tables = {f'"shop"."t{n}"': part(n, 100 * n) for n in range(1, 9)}
    progress = SnapshotProgress()
    progress.add(0, snapshot(tables)["snapshot"], 0.0)
    lines = snapshot_lines.block(progress).splitlines()
    assert lines[0].startswith("snapshot: 36 of about 3,600 rows (1 %) · 0 of 8 tables")
    assert lines[1].startswith("  shop.t8: 8 of about 800 rows (1 %) · 1 chunks")
    assert lines[-1] == "  and 2 more"
    assert len(lines) == 1 + 6 + 1


def test_what_is_more_than_was_thought_has_no_share():
    progress = SnapshotProgress()
    progress.add(0, snapshot({"a": part(50, 50)})["snapshot"], 0.0)
    assert "50 rows, more than was thought" in snapshot_lines.table_line("a", progress.tables["a"])


@pytest.mark.parametrize(("seconds", "text"), [(7.4, "0:07"), (750, "12:30"), (11_100, "3:05:00")])
def test_times_are_for_people(seconds, text):
    assert snapshot_lines.duration(seconds) == text


def test_lines_of_the_log_are_shown_and_a_warning_once(capsys):
    with Screen() as shown:
        for _ in range(2):
            shown.handle("log", [logging.INFO, "[Notification Service]  {…}"])
            shown.handle("log", [logging.WARNING, "read whole"])
    assert capsys.readouterr().err.splitlines() == [
        "[Notification Service]  {…}",
        "read whole",
        "[Notification Service]  {…}",
    ]


@pytest.mark.parametrize("kind", ["full", "closed"])
def test_events_that_standard_output_does_not_take_end_the_run(kind, monkeypatch):
    if kind == "full":
        end = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, end = os.pipe()
        os.close(reading)
    out = os.fdopen(end, "w")
    monkeypatch.setattr(sys, "stdout", out)
    with Screen(verbose=True) as shown, pytest.raises(TailraceError, match="standard output takes no more events"):
        shown.handle("events", ["{}"])
    with suppress(OSError):
        out.close()


def test_characters_that_standard_output_lacks_are_escaped(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="latin-1"))
    with Screen(verbose=True) as shown:
        shown.handle("events", ['{"a":"ü😀"}'])
    assert written.getvalue() == b'{"a":"\xfc\\U0001f600"}\n'


def test_lines_that_standard_error_does_not_take_end_nothing(monkeypatch):
    err = os.fdopen(os.open("/dev/full", os.O_WRONLY), "w")
    monkeypatch.setattr(sys, "stderr", err)
    with Screen() as shown:
        shown.notice("careful")
        shown.handle(LINE, [logging.WARNING, "careful"])
        shown.handle("figures", figures("a", 1))
        shown.finish("done")
    with suppress(OSError):
        err.close()
