"""The console sink: events on the driver's screen, by way of the link."""

import json
from contextlib import closing

import pytest

from support.counting_log import records_of
from tailrace.connectors.base import Progress
from tailrace.errors import ConfigError, FencedError, SinkLostError, TailraceError
from tailrace.link import Link
from tailrace.sinks.console import ConsoleSink


def test_events_appear_in_log_order_over_all_topics_when_write_returns(tmp_path):
    shown = []
    with closing(Link(lambda kind, content: shown.append((kind, content)))) as link:
        sink = ConsoleSink(tmp_path, "shop", "run", link.address)
        sink.open(0)
        sink.write([records_of("a", [0, 3, 4]), records_of("b", [1, 2, 5])])
        sink.close()
    assert [(kind, [json.loads(line)["key"]["id"] for line in lines]) for kind, lines in shown] == [
        ("events", [0, 1, 2, 3, 4, 5])
    ]


def test_progress_is_kept_for_the_next_task(tmp_path):
    with closing(Link(lambda kind, content: None)) as link:
        sink = ConsoleSink(tmp_path, "shop", "run", link.address)
        assert sink.open(0).progress is None
        sink.commit(Progress("7", {"n": 7}), [{"ddl": "a"}])
        opened = ConsoleSink(tmp_path, "shop", "run", link.address).open(0)
    assert (opened.progress, opened.history) == (Progress("7", {"n": 7}), [{"ddl": "a"}])


def test_a_run_that_was_replaced_gets_nothing(tmp_path):
    def confirm():
        raise FencedError("has the lease")

    with closing(Link(lambda kind, content: None)) as link:
        first, second = (ConsoleSink(tmp_path, "shop", run, link.address) for run in ("one", "two"))
        first.claim(1)
        with pytest.raises(FencedError, match="has the lease"):
            first.replace_progress(Progress("7", {"n": 7}), [], confirm)
        second.claim(1)
        with pytest.raises(FencedError, match="has the lease"):
            first.claim(1, confirm)
        with pytest.raises(FencedError, match="another run"):
            first.open(0)
        assert second.open(0).progress is None


def test_without_a_driver_on_this_machine_there_is_no_console(tmp_path):
    with pytest.raises(ConfigError, match="local"):
        ConsoleSink(tmp_path, "shop", "run", "").open(0)


def test_events_that_are_not_shown_are_not_written(tmp_path):
    def full(kind, content):
        raise TailraceError("standard output takes no more events")

    with closing(Link(full)) as link, closing(ConsoleSink(tmp_path, "shop", "run", link.address)) as sink:
        sink.open(0)
        with pytest.raises(TailraceError, match="takes no more events"):
            sink.write([records_of("a", [0])])


def test_a_driver_that_is_gone_shows_nothing(tmp_path):
    shown = []
    with closing(Link(lambda kind, content: shown.append(content))) as link:
        sink = ConsoleSink(tmp_path, "shop", "run", link.address)
        sink.open(0)
        link.close()
        with pytest.raises(SinkLostError, match="driver"):
            sink.write([records_of("a", [0])])
    assert not shown
