"""A lane's part of a snapshot in its progress record: the keys of the tables, and the state.

A record is written with each commit and must fit into one Kafka message (1 MB), even if a source has ten thousand
tables. Most of them are waiting most of the time: none of their rows was read. The record has them as compressed
bundles in reading order, and a process compresses each bundle only once. A bundle is opened when the
lane gets to its first table. Changes to a waiting table's state are stored beside the bundles and override them.

A snapshot of few tables has no bundles, and its record is readable for people. Keys are the connector's own JSON; those
of finished tables are not kept.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tailrace.errors import ProgressError
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.state import SnapshotState, TableState

BUNDLE: Final = 128  # tables
WAITING: Final = "waiting"


@dataclass(frozen=True, slots=True)
class _Bundle:
    """Unread tables: their segments, their states, and all of it as compressed text."""

    segments: tuple[Segment, ...]
    tables: Mapping[str, TableState]
    text: str

    def waits_in(self, segments: tuple[Segment, ...]) -> bool:
        """Whether exactly these segments are still unread."""
        return self.segments == segments


class LanePart:
    """The keys of a lane's tables, and its state when it was loaded or planned; makes the record of later states.

    Attributes:
        keys: the connector's own JSON by table, None for one without a key.
        state: the initial one.

    """

    def __init__(self, keys: Mapping[str, Any], state: SnapshotState) -> None:
        self.keys = keys
        self.state = state
        self._bundles = list(_bundles(keys, state))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> LanePart:
        """Parse the result of `to_dict`; a `ProgressError` says what is damaged."""
        try:
            keys, stored = dict(value["keys"]), dict(value["state"])
        except (KeyError, TypeError, ValueError) as error:
            raise ProgressError(f"the snapshot's progress is damaged: its keys or its state: {error!r}") from error
        for text in value.get(WAITING, ()):
            bundle = _unpacked(text)
            keys |= bundle["keys"]
            stored["segments"] = [*stored["segments"], *bundle["segments"]]
            stored["tables"] = {**stored["tables"], **bundle["tables"], **_common(stored["tables"], bundle["tables"])}
        return cls(keys, SnapshotState.from_dict(stored))

    def to_dict(self, state: SnapshotState) -> dict[str, Any]:
        """The record of a later state of the lane, as JSON."""
        while self._bundles and not self._wait(state):
            self._bundles.pop(0)
        state = self._without_waiting(state.forgetful())
        content = {
            "keys": {name: self.keys[name] for name in state.unfinished if name in self.keys},
            "state": state.members(),
        }
        return {**content, WAITING: [bundle.text for bundle in self._bundles]} if self._bundles else content

    def _wait(self, state: SnapshotState) -> bool:
        """Whether the bundles are the last unread segments."""
        end = len(state.segments)
        for bundle in reversed(self._bundles):
            first = end - len(bundle.segments)
            if first < 0 or not bundle.waits_in(state.segments[first:end]):
                return False
            end = first
        return True

    def _without_waiting(self, state: SnapshotState) -> SnapshotState:
        """The state without what the bundles hold."""
        if not self._bundles:
            return state
        tables = dict(state.tables)
        for bundle in self._bundles:
            for name, table in bundle.tables.items():
                if tables[name] is table or tables[name] == table:
                    del tables[name]
        count = sum(len(bundle.segments) for bundle in self._bundles)
        return replace(state, segments=state.segments[:-count], tables=tables)


def _bundles(keys: Mapping[str, Any], state: SnapshotState) -> Iterator[_Bundle]:
    """All unread tables but the first ones; they are the last segments."""
    segments = state.segments[BUNDLE:]
    if len({segment.table for segment in state.segments}) < len(state.segments):
        return  # no plan has a table in two segments of one lane
    for at in range(0, len(segments), BUNDLE):
        some = segments[at : at + BUNDLE]
        tables = {segment.table: state.tables[segment.table] for segment in some}
        yield _Bundle(some, tables, _packed(some, tables, keys))


def _packed(segments: Sequence[Segment], tables: Mapping[str, TableState], keys: Mapping[str, Any]) -> str:
    content = {
        "segments": [segment.to_dict() for segment in segments],
        "tables": {name: table.to_dict() for name, table in tables.items()},
        "keys": {name: keys[name] for name in tables if name in keys},
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode())).decode()


def _unpacked(text: Any) -> dict[str, Any]:
    try:
        content = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
        return {name: content[name] for name in ("segments", "tables", "keys")}
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error) as error:
        raise ProgressError(f"the snapshot's progress is damaged: {WAITING}: {error!r}") from error


def _common(some: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: table for name, table in some.items() if name in others}
