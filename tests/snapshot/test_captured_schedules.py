"""Schedules of a database whose changes are captured late, as SQL Server's are; a failure names the seed that replays it."""

from dataclasses import replace

import numpy as np
import pytest
from simulator import captured
from simulator.captured import CapturedDatabase, run_captured
from simulator.checks import ViolationError

from tailrace.connectors.change_tables.rows import AFTER
from tailrace.connectors.change_tables.snapshots.read_ahead import ReadAhead
from tailrace.snapshot.first_changes import Rewinder

BLOCKS = [0, pytest.param(500, marks=pytest.mark.long)]  # the first of 500 schedules each
ENOUGH = 4_000


@pytest.mark.parametrize("first", BLOCKS)
def test_every_row_is_delivered_once_as_it_was_at_p_however_late_changes_are_captured(first):
    run_all(range(first, first + 500))


def run_all(seeds):
    for seed in seeds:
        run_captured(seed)


def newest_captured(database, behind=None):
    """What was captured, whatever the read has seen."""
    return max(database.visible_upto() - 2, 0)


def as_the_change_table_has_them(rows):
    return np.flatnonzero(rows.operation != AFTER)


def kept_where_a_structure_changed(ahead, altered):
    """What was read ahead."""


_note = Rewinder.note


def any_image_is_complete(self, touches):
    return _note(self, replace(touches, complete=np.ones_like(touches.complete)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("where", "name", "wrong"),
    [
        (CapturedDatabase, "passed", newest_captured),
        (ReadAhead, "drop", kept_where_a_structure_changed),
        (captured, "in_order", as_the_change_table_has_them),
        (Rewinder, "note", any_image_is_complete),
    ],
)
def test_the_simulator_notices_when(where, name, wrong, monkeypatch):
    monkeypatch.setattr(where, name, wrong)
    with pytest.raises(ViolationError, match=r"seed \d+: (Violation|Progress)Error"):
        run_all(range(ENOUGH))
