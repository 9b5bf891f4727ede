"""A lane's part of a snapshot in its progress record: the keys of the tables, and the state.

A record is written with each commit and must fit into one Kafka message (1 MB), even if a source has ten thousand
tables. Most of them are waiting most of the time: none of their rows was read. The record has them as compressed
bundles in reading order, and a process compresses each bundle only once. A bundle is opened when the
lane gets to its first table. Changes to a waiting table's state, and rows that are held of one, are stored beside the
bundles and override them: compressed as well if they are many, as when each table has changed in the log meanwhile.

A snapshot of few tables has no bundles, and its record is readable for people. Keys are the connector's own JSON; those
of finished tables are not kept.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final

from tailrace.errors import ProgressError
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.state import SnapshotState, TableState

BUNDLE: Final = 128  # tables
WAITING: Final = "waiting"
NOTED: Final = "noted"
_BUNDLED: Final = ("segments", "tables", "keys")
_NOTED: Final = ("tables", "held")


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

    def __init__(self, keys: Mapping[str, Any], state: SnapshotState, readable: int = BUNDLE) -> None:
        """`readable`: how many of the first segments are in no bundle."""
        self.keys = keys
        self.state = state
        self._bundles = list(_bundles(keys, state, readable))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> LanePart:
        """Parse the result of `to_dict`; a `ProgressError` says what is damaged."""
        try:
            keys, stored = dict(value["keys"]), dict(value["state"])
        except (KeyError, TypeError, ValueError) as error:
            raise ProgressError(f"the snapshot's progress is damaged: its keys or its state: {error!r}") from error
        noted = _unpacked(stored.pop(NOTED), _NOTED) if NOTED in stored else None
        if noted:
            stored["tables"], stored["held"] = stored["tables"] | noted["tables"], stored["held"] | noted["held"]
        for text in value.get(WAITING, ()):
            bundle = _unpacked(text, _BUNDLED)
            keys |= bundle["keys"]
            stored["segments"] = [*stored["segments"], *bundle["segments"]]
            stored["tables"] = {**stored["tables"], **bundle["tables"], **_common(stored["tables"], bundle["tables"])}
        return cls(keys, SnapshotState.from_dict(stored))

    def to_dict(self, state: SnapshotState) -> dict[str, Any]:
        """The record of a later state of the lane, as JSON."""
        while self._bundles and not self._wait(state):
            self._bundles.pop(0)
        state, waiting = self._without_waiting(state.forgetful())
        content = {
            "keys": {name: self.keys[name] for name in state.unfinished if name in self.keys and name not in waiting},
            "state": _stored(state, waiting),
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

    def _without_waiting(self, state: SnapshotState) -> tuple[SnapshotState, AbstractSet[str]]:
        """The state without what the bundles hold, and the names of the tables that they hold."""
        if not self._bundles:
            return state, frozenset()
        tables = dict(state.tables)
        for bundle in self._bundles:
            for name, table in bundle.tables.items():
                if tables[name] is table or tables[name] == table:
                    del tables[name]
        count = sum(len(bundle.segments) for bundle in self._bundles)
        waiting = {name for bundle in self._bundles for name in bundle.tables}
        return replace(state, segments=state.segments[:-count], tables=tables), waiting


def _stored(state: SnapshotState, waiting: AbstractSet[str]) -> dict[str, Any]:
    """The state as JSON; what was noted of many waiting tables is compressed."""
    tables = {name: table for name, table in state.tables.items() if name in waiting}
    held = {name: digest for name, digest in state.held.items() if name in waiting}
    if len(tables) + len(held) <= BUNDLE:
        return state.members()
    noted = _packed({"tables": {name: table.to_dict() for name, table in tables.items()}, "held": held})
    rest = replace(
        state,
        tables={name: table for name, table in state.tables.items() if name not in tables},
        held={name: digest for name, digest in state.held.items() if name not in held},
    )
    # Within the state, where a version that does not know it stops: these rows must not be lost.
    return {**rest.members(), NOTED: noted}


def _bundles(keys: Mapping[str, Any], state: SnapshotState, readable: int) -> Iterator[_Bundle]:
    """All unread tables but the first ones; they are the last segments."""
    segments = state.segments[readable:]
    if len({segment.table for segment in state.segments}) < len(state.segments):
        return  # no plan has a table in two segments of one lane
    for at in range(0, len(segments), BUNDLE):
        some = segments[at : at + BUNDLE]
        tables = {segment.table: state.tables[segment.table] for segment in some}
        content = {
            "segments": [segment.to_dict() for segment in some],
            "tables": {name: table.to_dict() for name, table in tables.items()},
            "keys": {name: keys[name] for name in tables if name in keys},
        }
        yield _Bundle(some, tables, _packed(content))


def _packed(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode())).decode()


def _unpacked(text: Any, members: Sequence[str]) -> dict[str, Any]:
    try:
        content = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
        return {name: content[name] for name in members}
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error) as error:
        where = WAITING if members is _BUNDLED else NOTED
        raise ProgressError(f"the snapshot's progress is damaged: {where}: {error!r}") from error


def _common(some: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: table for name, table in some.items() if name in others}
