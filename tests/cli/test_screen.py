"""What a running job shows."""

import pytest

from tailrace.cli.screen import Screen, Totals, size_text


def figures(task, changes, lane=0, **more):
    return {"task": task, "lane": lane, "changes": changes, "records": changes, "bytes": 10 * changes, "commits": 1, **more}


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
