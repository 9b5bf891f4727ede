"""When a requested blocking snapshot is read: at a boundary; then the log continues."""

from types import SimpleNamespace

from tailrace.connectors.base import LogBatch, Progress
from tailrace.connectors.shared.interrupted_reading import InterruptedReading

ASKED = {"blocking": {"tables": [{"table": "t"}]}}
BEGUN = {"blocking": {"tables": [{"table": "t"}], "state": {}}}
END = 30  # of the range; every tenth place is a boundary


def is_boundary(progress):
    return progress.restart["n"] % 10 == 0


def at(n, signalled=None):
    return Progress(str(n), {"n": n}, signalled=signalled)


def told(progress, end=END):
    """What is read from a progress on, in order."""
    found = []

    def log(progress, _history):
        n = progress.restart["n"]
        reached = min(-(-(n + 1) // 10) * 10, end) if progress.signalled else end
        found.append(f"log {n}-{reached}")
        batch = LogBatch([], at(reached, progress.signalled))
        return SimpleNamespace(
            batches=lambda _new_events: (each for each in [batch]),
            is_interrupted=bool(progress.signalled) and reached < end,
        )

    def blocking(progress, _history):
        found.append(f"tables at {progress.restart['n']}")
        return SimpleNamespace(batches=lambda _new_events: (each for each in [LogBatch([], at(progress.restart["n"]))]))

    list(InterruptedReading(progress, (), log, blocking, is_boundary).batches())
    return found


def test_at_a_boundary_it_comes_before_the_log():
    assert told(at(10, ASKED)) == ["tables at 10", "log 10-30"]


def test_within_a_transaction_the_log_comes_first_up_to_the_next_boundary():
    assert told(at(13, ASKED)) == ["log 13-20", "tables at 20", "log 20-30"]


def test_one_that_has_begun_goes_on_at_once():
    assert told(at(13, BEGUN)) == ["tables at 13", "log 13-30"]


def test_at_the_end_of_a_range_it_waits_for_the_next_one_where_that_is_no_boundary():
    assert told(at(23, ASKED), end=30) == ["log 23-30", "tables at 30"]
    assert told(at(23, ASKED), end=27) == ["log 23-27"]
