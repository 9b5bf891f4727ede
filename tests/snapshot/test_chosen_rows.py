"""Tables of which a statement of the user's own chooses the rows: nothing stale is delivered, nothing untouched lacks."""

import numpy as np
import pytest
from simulator.checks import ViolationError
from simulator.chosen import run_chosen

from tailrace.snapshot.first_changes import Rewinder
from tailrace.snapshot.waves import SnapshotLane

SCHEDULES = 600


def test_what_is_delivered_is_as_it_was_at_p_and_the_stream_tells_the_rest():
    run_all(SCHEDULES)


@pytest.mark.long
@pytest.mark.parametrize(
    ("owner", "name", "broken"),
    [
        (SnapshotLane, "_noted", lambda _self, rewinder, touches: rewinder.note(touches)),
        (Rewinder, "untouched", lambda _self, digests: np.arange(len(digests))),
    ],
    ids=["incomplete images do not count", "touched rows are delivered as read"],
)
def test_the_simulator_notices_when(owner, name, broken, monkeypatch):
    monkeypatch.setattr(owner, name, broken)
    with pytest.raises(ViolationError, match=r"seed \d+: ViolationError"):
        run_all(4 * SCHEDULES)


def run_all(schedules):
    for seed in range(schedules):
        run_chosen(seed)
