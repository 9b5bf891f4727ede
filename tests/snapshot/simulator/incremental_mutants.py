"""The real code of incremental snapshots, and the rules for its caller, broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tailrace.snapshot import incremental
from tailrace.snapshot.first_changes import Rewinder, rewound
from tailrace.snapshot.incremental import ChunkOutcome, _TableLog
from tailrace.snapshot.key_set import KeySet

from .streaming import StreamingLane

Taking = Callable[..., Any]

_take_chunk = incremental.take_chunk
_keys_upto = _TableLog.keys_upto
_changes = _TableLog.changes


class Broken:
    """A source that does something else than it is asked for."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._chunk: Any = None

    def read(self, segment: Any) -> Any:
        self._chunk = self._source.read(segment)
        return self._chunk

    def changes(self, upto: Any) -> Any:
        return self._source.changes(upto)

    def inside(self, touches: Any, rows: Any, intervals: Any) -> Any:
        return self._source.inside(touches, rows, intervals)


class HeadBeforeRead(Broken):
    def read(self, segment: Any) -> Any:
        self._sections = [*self._source.changes(None)]
        return super().read(segment)

    def changes(self, upto: Any) -> Any:
        return self._sections if upto is None else super().changes(upto)


class WithoutRange(Broken):
    def inside(self, touches: Any, rows: Any, intervals: Any) -> Any:
        return np.ones(len(rows), bool)


class UptoLastRow(Broken):
    """Also where the end of the segment was reached."""

    def inside(self, touches: Any, rows: Any, intervals: Any) -> Any:
        ((after, _),) = intervals
        upto = self._chunk.bound(len(self._chunk) - 1) if len(self._chunk) else after
        return super().inside(touches, rows, [(after, upto)])


class UnreadIsLast(Broken):
    def read(self, segment: Any) -> Any:
        chunk = super().read(segment)
        if chunk is not None and not len(chunk):
            chunk.is_last = True
        return chunk


def _with(source_type: type[Broken]) -> Taking:
    return lambda source, *args, **options: _take_chunk(source_type(source), *args, **options)


def _changed(change: Callable[[Any], Any]) -> Taking:
    def take(*args: Any, **options: Any) -> Any:
        taken = _take_chunk(*args, **options)
        return change(taken) if taken.outcome is ChunkOutcome.TAKEN else taken

    return take


def _place_of_last_delivered(taken: Any) -> Any:
    rows = [piece.of.bound(piece.rows[-1]) for piece in taken.pieces if not hasattr(piece.of, "images")]
    return replace(taken, after=rows[-1]) if rows else taken


def _place_of_last_image(taken: Any) -> Any:
    images = [piece for piece in taken.pieces if hasattr(piece.of, "images")]
    if not images:
        return taken
    change = images[-1].of.images.changes[images[-1].rows[-1]]
    return replace(taken, after=images[-1].of.images.table.kind.bounds[change.before.key])


def _told_is_forgotten(self: Any, at: Any) -> Any:
    _keys_upto(self, at)
    return KeySet()


def _told_like_changes_behind(self: Any, at: Any) -> Any:
    rewinder = Rewinder()
    for section in self._source.changes(at) if at is not None else ():
        for touches in self._of(section.touches):
            rewinder.note(touches)
    return rewinder.touched


def _any_structure(self: Any) -> Any:
    yield from _changes(self)
    self.is_altered = False


def _forgetful(digests: Any, touches: Any, inside: Any) -> Any:
    found = [rewound(digests, [some], inside) for some in touches]
    rows = set(range(len(digests))).intersection(*(one.rows.tolist() for one in found))
    images = [image for one in found for image in one.images]
    return replace(rewound(digests, [], inside), rows=np.array(sorted(rows), np.int64), images=images)


MUTANTS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "the head is asked before the chunk is read": (incremental, "take_chunk", _with(HeadBeforeRead)),
    "images outside the chunk's range are told": (incremental, "take_chunk", _with(WithoutRange)),
    "the last chunk's range ends with its last row": (incremental, "take_chunk", _with(UptoLastRow)),
    "a chunk that could not be read is the end": (incremental, "take_chunk", _with(UnreadIsLast)),
    "the place is the last row delivered": (incremental, "take_chunk", _changed(_place_of_last_delivered)),
    "the place is the last image": (incremental, "take_chunk", _changed(_place_of_last_image)),
    "each chunk is the last": (incremental, "take_chunk", _changed(lambda taken: replace(taken, is_last=True))),
    "images are not told": (incremental, "take_chunk", _changed(lambda taken: replace(taken, pieces=taken.pieces[:1]))),
    "the log from V to P is not noted": (_TableLog, "keys_upto", _told_is_forgotten),
    "V is taken for P": (_TableLog, "keys_upto", lambda self, at: KeySet()),
    "incomplete images before P count as those behind it": (_TableLog, "keys_upto", _told_like_changes_behind),
    "unknown keys before P do not matter": (incremental, "_without_key", lambda touches: 0),
    "a structure change behind P does not matter": (_TableLog, "changes", _any_structure),
    "what was touched is forgotten between sections": (incremental, "rewound", _forgetful),
    "the window removes nothing": (
        incremental,
        "outside_window",
        lambda digests, log, _: np.array([True for _ in digests if log]),
    ),
    "the next chunk does not wait for the stream": (
        StreamingLane,
        "_may_take",
        lambda self: bool(self._state.segments) and not self._state.is_paused,
    ),
    "V lies before the place where the snapshot was asked for": (StreamingLane, "_begun", lambda self, table: 0),
}
