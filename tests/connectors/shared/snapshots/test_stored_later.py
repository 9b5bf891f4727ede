"""A snapshot's progress that is put together when it is needed."""

import json

from tailrace.connectors.base import Progress
from tailrace.connectors.shared.snapshots.stored_later import StoredLater


def test_it_is_put_together_once_and_only_if_somebody_looks():
    made = []
    later = StoredLater(lambda: made.append(1) or {"lanes": 2, "done": False})
    progress = Progress("", {}, later)
    assert made == []
    assert progress.snapshot_is_pending
    assert (later["lanes"], list(later), len(later), json.dumps(dict(later))) == (2, ["lanes", "done"], 2, repr(later).replace("'", '"').replace("False", "false"))
    assert made == [1]


def test_it_equals_what_a_sink_gives_back():
    assert Progress("a", {}, StoredLater(lambda: {"lanes": 1})) == Progress("a", {}, {"lanes": 1})
