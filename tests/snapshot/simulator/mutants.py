"""The real code of initial snapshots, and what both kinds stand on, broken on purpose: what the simulator must notice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from tailrace.snapshot.first_changes import Rewinder
from tailrace.snapshot.multiset import RowCounts
from tailrace.snapshot.waves import SnapshotLane

from .database import Database

_note = Rewinder.note
_rebuild = SnapshotLane._rebuild
_follow = SnapshotLane._follow
_state = SnapshotLane._state
_final = SnapshotLane._final


def _place_behind_the_chunk(self: Any, place: Any) -> Any:
    chunk = self._source.read(place.rest)
    before = place.rest
    if chunk is not None and len(chunk):
        place.rest = replace(before, after=chunk.bound(len(chunk) - 1))
    altered = yield from self._follow()
    place.rest = before
    if chunk is None:
        self._end(before.table)
        yield self._wave([])
    elif before.table not in altered:
        yield self._wave(self._taken(place, chunk))


def _head_before_the_read(self: Any, place: Any) -> Any:
    altered = yield from self._follow()
    chunk = self._source.read(place.rest)
    if chunk is None:
        self._end(place.rest.table)
        yield self._wave([])
    elif place.rest.table not in altered:
        yield self._wave(self._taken(place, chunk))


def _rebuilt_as_if_nothing_were_touched(self: Any) -> None:
    _rebuild(self)
    self._rewinders = {table: Rewinder() for table in self._rewinders}


def _any_structure(self: Any, upto: Any = None) -> Any:
    yield from _follow(self, upto)
    return set()


def _forgetting_held_images(self: Any) -> Any:
    return replace(_state(self), held={})


def _without_held_rows(self: Any, place: Any) -> Any:
    return None if place.ended else place.rest


def _without_key_moves(self: Any, touches: Any) -> Any:
    return _note(self, replace(touches, has_after=touches.has_after & ~touches.has_before))


def _without_images_after(self: Any, touches: Any) -> Any:
    return _note(self, replace(touches, has_after=np.zeros_like(touches.has_after)))


def _any_image_is_complete(self: Any, touches: Any) -> Any:
    return _note(self, replace(touches, complete=np.ones_like(touches.complete)))


def _every_row_as_read(self: Any, digests: Any) -> Any:
    return np.arange(len(digests))


def _every_table_its_end(self: Any, following: Any = None) -> Any:
    unread = {place.rest.table for place in self._places if not place.ended}
    through = [table for table in self._held if table not in unread | {following}]
    return [piece for table in through for piece in _final(self, table, is_end=False)]


def _whether_a_view_holds_or_not(self: Any, place: Any) -> Any:
    table = place.rest.table
    view = self._source.view(table)
    if view is None:
        self._end(table)
        yield self._wave([])
        return
    with closing(view):
        altered = yield from self._follow(view.position)
        if view.position is not None and table not in altered:
            yield from self._read_whole(place, view)


def _upto_the_head(self: Any, upto: Any = None) -> Any:
    return (yield from _follow(self))


def _by_digest(self: Any, touches: Any, rows: Any) -> None:
    held = self._held.get(touches.table)
    if held is not None and (touches.before[rows] == held.digest).all(axis=1).any():
        del self._held[touches.table]


MUTANTS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "touches are compared with B' instead of B": (SnapshotLane, "_turn", _place_behind_the_chunk),
    "the head is asked before the read": (SnapshotLane, "_turn", _head_before_the_read),
    "what was touched is not rebuilt": (SnapshotLane, "_rebuild", _rebuilt_as_if_nothing_were_touched),
    "a structure change does not matter": (SnapshotLane, "_follow", _any_structure),
    "a held image is not in the state": (SnapshotLane, "_state", _forgetting_held_images),
    "a held row counts as delivered": (SnapshotLane, "_undelivered", _without_held_rows),
    "a held row stays when its image comes": (SnapshotLane, "_drop_held", lambda *_: None),
    "images of other lanes and of the past are told": (SnapshotLane, "_intervals", lambda *_: [(None, None)]),
    "the last row is not held for the lane's end": (SnapshotLane, "_settled", _every_table_its_end),
    "a key move touches only the old key": (Rewinder, "note", _without_key_moves),
    "images after touch nothing": (Rewinder, "note", _without_images_after),
    "an incomplete image is taken for complete": (Rewinder, "note", _any_image_is_complete),
    "touched rows are delivered as read": (Rewinder, "untouched", _every_row_as_read),
    "P is the log's head, and is not waited for": (Database, "wait_for", lambda *_: None),
    "a view need not hold": (SnapshotLane, "_turn_whole", _whether_a_view_holds_or_not),
    "the log is read further than a view": (SnapshotLane, "_follow", _upto_the_head),
    "half a table without a key is committed": (SnapshotLane, "_is_open", lambda _: False),
    "an equal row is taken for the one that is held": (SnapshotLane, "_drop_held", _by_digest),
    "rows that came after P are delivered": (RowCounts, "untouched", _every_row_as_read),
}

SHARED = (  # what incremental snapshots stand on, too
    "a key move touches only the old key",
    "images after touch nothing",
    "an incomplete image is taken for complete",
    "touched rows are delivered as read",
    "P is the log's head, and is not waited for",
)
