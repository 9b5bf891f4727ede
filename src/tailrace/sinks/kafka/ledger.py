"""The progress topic and the history topic: each lane's progress, and its schema history.

Both have a partition for each lane, which only that lane's transactional id writes while the lane is active, so
that no other open transaction hides its records. The progress topic is compacted: the newest
record of a lane counts. The history topic has unlimited retention and is read completely; its records are numbered from
1 in each lane, the progress says which of them count, and of two with the same number the later one does. So a lane can
be replaced, with another history or layout, and records of a task that never committed do not count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tailrace.connectors.base import HistoryRecord
from tailrace.errors import ConfigError, ProgressError
from tailrace.kafka.tail import Entry, Tail
from tailrace.kafka.topics import Topics
from tailrace.sinks.kafka.names import Names
from tailrace.sinks.kafka.progress import ProgressRecord, from_json, key_of

if TYPE_CHECKING:
    from tailrace.sinks.kafka.writer import Writer

SPARE_PARTITIONS: Final = 8  # up to this many lanes need no change of the topics
_PROGRESS_TOPIC: Final = {
    "cleanup.policy": "compact",
    "segment.bytes": str(16 << 20),  # compaction skips the active segment
    "compression.type": "producer",
}
_HISTORY_TOPIC: Final = {
    "cleanup.policy": "delete",
    "retention.ms": "-1",
    "retention.bytes": "-1",
    "compression.type": "producer",
}
_FOR_EVER: Final = "retention.ms=-1,retention.bytes=-1"


class Ledger:
    """The two topics of one connector."""

    def __init__(self, names: Names, source: str, tail: Tail) -> None:
        self._names = names
        self._source = source
        self._tail = tail

    def prepare(self, topics: Topics, lanes: int) -> None:
        """Make sure that the topics exist, with partitions for `lanes`."""
        partitions = max(lanes, SPARE_PARTITIONS)
        topics.ensure_own(self._names.progress, lanes, partitions, _PROGRESS_TOPIC)
        topics.ensure_own(self._names.history, lanes, partitions, _HISTORY_TOPIC)

    def check_kept(self, topics: Topics) -> None:
        """Refuse topics whose settings would delete records that count."""
        for name, remedy in ((self._names.progress, "cleanup.policy=compact"), (self._names.history, _FOR_EVER)):
            held = topics.settings(name)
            limits = {key: held.get(key, "-1") for key in ("retention.ms", "retention.bytes")}
            if "delete" in held.get("cleanup.policy", "") and set(limits.values()) != {"-1"}:
                settings = ", ".join(f"{key}={value}" for key, value in limits.items())
                raise ConfigError(
                    f"the topic {name} deletes old records ({settings}), and what it holds is needed for ever: set it right "
                    f"with kafka-configs.sh --alter --entity-type topics --entity-name {name} --add-config {remedy}"
                )

    def read(self, lane: int, *, settled: bool = False) -> ProgressRecord | None:
        """A lane's newest record; `settled`: once no other transaction is open."""
        entry = self._tail.newest(self._names.progress, lane, settled=settled)
        if entry is None:
            return None
        where = f"the progress record at offset {entry.offset} of partition {lane} of the topic {self._names.progress}"
        if entry.key != key_of(lane):
            raise ProgressError(f"{where} is not ours: its key is {entry.key!r}; nobody else may write to this topic")
        return None if entry.value is None else from_json(entry.value, self._source, where)

    def history(self, lane: int, record: ProgressRecord | None, *, settled: bool = True) -> list[HistoryRecord]:
        """A lane's schema history, up to the length in its record; `settled` as in `read`."""
        entries = self._tail.everything(self._names.history, lane, settled=settled)
        if record is None:
            if entries:
                raise ProgressError(self._lost_progress(lane))
            return []
        # a later record replaces one of the same number: without transactions, what a task did not commit stays visible
        numbered = dict(self._numbered(lane, entry) for entry in entries)
        wanted = range(record.history_start + 1, record.history + 1)
        missing = [number for number in wanted if number not in numbered]
        if missing:
            raise ProgressError(self._lost_history(lane, len(missing), len(wanted)))
        return [numbered[number] for number in wanted]

    def store(self, writer: Writer, lane: int, record: ProgressRecord) -> None:
        """Send a lane's record."""
        writer.send_one(self._names.progress, key_of(lane), record.to_json(), lane)

    def retire(self, writer: Writer, lane: int) -> None:
        """Send a tombstone for a removed lane."""
        writer.send_one(self._names.progress, key_of(lane), None, lane)

    def add_history(self, writer: Writer, lane: int, records: Sequence[HistoryRecord], after: int) -> None:
        """Send further records of a lane's history, which has `after` records so far."""
        for number, record in enumerate(records, after + 1):
            key = json.dumps({"lane": lane, "number": number}).encode()
            value = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
            writer.send_one(self._names.history, key, value, lane)

    def _numbered(self, lane: int, entry: Entry) -> tuple[int, Mapping[str, Any]]:
        try:
            number, record = json.loads(entry.key or b"")["number"], json.loads(entry.value or b"")
        except (ValueError, KeyError, TypeError) as error:
            raise ProgressError(f"{self._place(lane)} is damaged at offset {entry.offset}: {error!r}") from error
        if not isinstance(record, dict):
            raise ProgressError(f"{self._place(lane)} is damaged at offset {entry.offset}: no JSON object")
        return number, record

    def _lost_progress(self, lane: int) -> str:
        return (
            f"{self._place(lane)} has records, but the topic {self._names.progress} has no progress of this lane: "
            "it was emptied or deleted; restore it, or delete both topics to begin anew"
        )

    def _lost_history(self, lane: int, missing: int, wanted: int) -> str:
        return (
            f"{self._place(lane)} lacks {missing} of the {wanted} records that the progress counts: "
            "it was emptied, deleted or cut off; restore it, or delete both topics to begin anew"
        )

    def _place(self, lane: int) -> str:
        return f"the schema history in partition {lane} of the topic {self._names.history}"
