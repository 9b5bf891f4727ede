"""A connector for tests whose log is the numbers from 0 on; a file says how many there are.

Change i belongs to transaction i // 7 and to topic i % 3. Every 50th transaction begins with a schema change, which goes into
the history. A reader fails, as a real one would, if its history does not fit its position. `fail_every` makes reading fail
repeatedly like a dropped connection; `fatal_at` makes it fail permanently. `readings` is a file that gets a line each time reading begins.

A snapshot has the numbers from -1 down, `rows` of them; each lane has those whose remainder is its number. Read in parts,
each part has a block of them. With `tells` the first lane sends the number `COMPLETED` at the snapshot's end, and `SKIPPED` if
there is no snapshot.
"""

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from support.unit_settings import unit_settings
from tailrace.changes.layouts import Layout, Struct, Values
from tailrace.changes.outline import Outline
from tailrace.changes.records import Binary, Header, Records
from tailrace.changes.source_records import EventKind, Objects, SourceHeader, SourceRecords, every_record
from tailrace.connectors.base import (
    HistoryRecord,
    LogBatch,
    LogRange,
    Progress,
    SnapshotStep,
    StartPoint,
    no_other_lanes,
)
from tailrace.errors import PositionLostError, RetriableError, StructureError
from tailrace.events.event import Events, NewEvents
from tailrace.schema.connect import Field, Schema, Type
from tailrace.source.job import Job, Pace

TRANSACTION = 7
STRUCTURE_EVERY = 50 * TRANSACTION
TOPICS = 3
COMPLETED, SKIPPED = 10_000_001, 10_000_002
SETTINGS = unit_settings(
    {f"{of}.converter.schemas.enable": False for of in ("key", "value")}
    | {"header.converter": "org.apache.kafka.connect.json.JsonConverter", "header.converter.schemas.enable": False}
)
ID = Schema(Type.INT64)
ROW = Schema(Type.STRUCT, fields=(Field("id", ID), Field("text", Schema(Type.STRING))))
KEY = Layout(Struct(Schema(Type.STRUCT, fields=(Field("id", ID),)), (Values(ID, 0, 0),)))
ENVELOPE = Schema(Type.STRUCT, fields=(Field("op", Schema(Type.STRING)), Field("after", ROW)))
VALUE = Layout(Struct(ENVELOPE, (Values(Schema(Type.STRING), 1, 0), Values(ROW, 2, 0))))
NUMBER, ODD = Layout(Values(ID, 0, 0)), Layout(Values(Schema(Type.BOOLEAN), 3, 0))


def connector(document):
    return CountingLog(**document)


def counting_job(folder, changes, *, pace=Pace(), document=None, **options):  # noqa: B008 -- immutable
    """A job that delivers a log of so many changes into files of a folder.

    Args:
        folder: has the log, and gets the files.
        changes: how many the log has.
        pace: of the job.
        document: what `CountingLog` takes besides the log.
        options: what `Job` takes besides.

    """
    grow(folder / "log", changes)
    return Job(
        document={"log": str(folder / "log"), **(document or {})},
        source="counting",
        target=f"files:{folder / 'out'}",
        connector="support.counting_log:connector",
        pace=pace,
        **options,
    )


def grow(path, count):
    """Set how many changes there are."""
    path = Path(path)
    new = path.with_suffix(".new")
    new.write_text(str(count))
    new.replace(path)


def purge(path, upto):
    """The log has no changes before this one any more."""
    Path(path).with_suffix(".purged").write_text(str(upto))


def structure(n):
    """A record of the schema history."""
    return {"source": {"server": "count"}, "position": {"n": n}, "ts_ms": 0, "structure": n}


class CountingLog:
    settings = SETTINGS

    def __init__(
        self,
        log,
        *,
        block=20,
        poll_seconds=0.02,
        fail_every=0,
        pause_seconds=0.0,
        start="0",
        header=False,
        fatal_at=None,
        rows=0,
        tells=False,
        whole=False,
        readings=None,
    ):
        self._log = Path(log)
        self._block = int(block)
        self._poll_seconds = float(poll_seconds)
        self._fail_every = int(fail_every)
        self._pause_seconds = float(pause_seconds)
        self._start = start
        self._header = header
        self._fatal_at = fatal_at
        self._rows = int(rows)
        self._tells = tells
        self._whole = whole
        self._readings = readings

    def head(self) -> Mapping[str, int]:
        return {"n": int(self._log.read_text()) // TRANSACTION * TRANSACTION}

    def routed(self, routing):
        return self

    def can_change_lanes(self, progress):
        return True

    def common_boundary(self, lanes):
        """The end of the transaction in which the farthest lane stands."""
        farthest = max(int(lane.delivered or -1) for lane in lanes) + 1
        return {"n": -(-farthest // TRANSACTION) * TRANSACTION}

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        n = self.head()["n"] if self._start == "head" else int(self._start)
        snapshot = {"lanes": snapshot_lanes, "read": 0} if snapshot_lanes else None
        return StartPoint({"n": n}, [structure(0)], snapshot, f"{n - 1:012d}" if after else "")

    def require_retained(self, progress: Progress, history=None, lane=None) -> None:
        self._require(progress.restart["n"])

    def _require(self, n):
        purged = self._log.with_suffix(".purged")
        if purged.exists() and n < int(purged.read_text()):
            raise PositionLostError(f"the log was purged up to {purged.read_text()}")

    def snapshot(self, lane, progress, history, others=no_other_lanes, new_events=list) -> Iterator[LogBatch]:
        self._check_history(history, progress)
        state = progress.snapshot
        numbers = [-1 - n for n in range(self._rows) if n % lane.count == lane.number]
        for count in range(state["read"], len(numbers), self._block):
            read = numbers[count : count + self._block]
            reached = Progress(progress.delivered, progress.restart, {**state, "read": count + len(read)})
            told = self._figures(lane, count + len(read), name=f"block {count // self._block}", ended=False)
            is_open = self._whole and count + len(read) < len(numbers)
            reached = progress if is_open else reached
            events = [Numbers("count.rows", read)]
            yield LogBatch(put(events, new_events), reached, changes=len(read), at_head=True, figures=told, is_open=is_open)
            if self._pause_seconds:
                time.sleep(self._pause_seconds)
            if self._fail_every and (count // self._block + 1) % self._fail_every == 0:
                raise RetriableError("the connection was dropped")
        if self._tells and lane.is_first and any(each is None or each.snapshot_is_pending for each in others()):
            return
        end = [Numbers("count.told", [COMPLETED])] if self._tells and lane.is_first else []
        figures = self._figures(lane, len(numbers))
        done = {"lanes": lane.count, "done": True, **({"figures": figures} if lane.count > 1 else {})}
        yield LogBatch(end, Progress(progress.delivered, progress.restart, done), at_head=True, figures=figures)

    def warn_of_lists(self):
        pass

    def skipped_notification(self, progress):
        return [Numbers("count.told", [SKIPPED])] if self._tells else []

    @staticmethod
    def _figures(lane, rows, *, name="rows", ended=True):
        counts = {"rows": rows, "about": rows, "chunks": 1, "part": lane.number, "parts": lane.count, "done": ended}
        whole = {"lanes": lane.count, "before": 0, "rows": rows, "chunks": 1, "about": rows, "tables": 1, "done": int(ended)}
        return {**whole, "ended": ended, "of": {name: counts}}

    def snapshot_point(self) -> StartPoint:
        point = self.start_point()
        return StartPoint(point.restart, point.history, {"rows": self._rows})

    def next_parts(self, point, reached, wanted, max_bytes) -> SnapshotStep:
        """A part has as many numbers as a block; a "byte" is a number."""
        read, rows = (reached or {"read": 0})["read"], point.snapshot["rows"]
        wanted = wanted if max_bytes is None else max(max_bytes // self._block, 1)
        cuts = [min(read + n * self._block, rows) for n in range(wanted + 1)]
        parts = [[first, last] for first, last in itertools.pairwise(cuts) if first < last]
        return SnapshotStep([{"numbers": part} for part in parts], {"read": cuts[-1]} if cuts[-1] < rows else None)

    def read_part(self, part, progress, history, new_events=list) -> Iterator[LogBatch]:
        """In two steps; a drop of the connection may come between."""
        self._check_history(history, progress)
        first, last = part.content["numbers"]
        for n in range((progress.snapshot or {"read": first})["read"], last, -(-self._block // 2)):
            end = min(n + -(-self._block // 2), last)
            numbers = [-1 - i for i in range(n, end)]
            events = put([Numbers("count.rows", numbers)], new_events)
            yield LogBatch(events, Progress("", progress.restart, {"read": end}))
            if self._fail_every and end < last:
                raise RetriableError("the connection was dropped")

    def head_after(self, start, max_bytes, at_most=None):
        """A "byte" of this log is a change."""
        head = (at_most or self.head())["n"]
        if start is not None and max_bytes is not None:
            head = min(head, -(-(start["n"] + max_bytes) // TRANSACTION) * TRANSACTION)
        return {"n": head}

    def progress_at(self, position):
        return Progress(f"{position['n'] - 1:012d}" if position["n"] else "", position)

    def history_at(self, history, position):
        return [record for record in history if record["structure"] < max(position["n"], 1)]

    def history_after(self, history, start, end, now_us):
        return None

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        if self._readings:
            with Path(self._readings).open("a") as readings:
                readings.write("begun\n")
        i = range_.start["n"]
        delivered = int(progress.delivered) if progress.delivered else -1
        self._check_history(history, progress)
        until = range_.until["n"] if range_.until else None
        batches = 0
        while until is None or i < until:
            self._require(i)
            end = min(i + self._block, self.head()["n"] if until is None else until)
            if end <= i:
                time.sleep(self._poll_seconds)
                yield LogBatch([], Progress(f"{delivered:012d}" if delivered >= 0 else "", {"n": i}), idle=True)
                continue
            numbers = [n for n in range(i, end) if n > delivered]
            if self._fatal_at is not None and int(self._fatal_at) in numbers:
                raise PositionLostError(f"the log was purged up to {self._fatal_at}: begin anew\n  (a second line)")
            new = [structure(n) for n in numbers if n and n % STRUCTURE_EVERY == 0]
            delivered = max(end - 1, delivered)
            i = end
            restart = {"n": i // TRANSACTION * TRANSACTION}
            yield LogBatch(
                put([event for event in self._events(numbers) if range_.lane.owns(event.topic)], new_events),
                Progress(f"{delivered:012d}", restart),
                new,
                len(numbers),
                time.time_ns() // 10**6,
                at_head=end == self.head()["n"],
                is_interleaved=True,
            )
            batches += 1
            if self._pause_seconds:
                time.sleep(self._pause_seconds)
            if self._fail_every and batches % self._fail_every == 0:
                raise RetriableError("the connection was dropped")

    def _check_history(self, history, progress):
        delivered = int(progress.delivered) if progress.delivered else -1
        start = int(self._start) if self._start != "head" else 0
        wanted = [0] + [n for n in range(STRUCTURE_EVERY, delivered + 1, STRUCTURE_EVERY) if n >= start]
        if self._start != "head" and [record["structure"] for record in history] != wanted:
            raise StructureError(f"at {delivered} the history should be {wanted}, not {list(history)}")

    def _events(self, numbers) -> list["Numbers"]:
        of_topics = [[n for n in numbers if n % TOPICS == t] for t in range(TOPICS)]
        return [Numbers(f"count.t{t}", of, self._header) for t, of in enumerate(of_topics) if of]


def put(events, new_events) -> Events:
    """The same events in what the reader was given for a batch."""
    found = new_events()
    for event in events:
        found.append(event)
    return found


@dataclass
class Numbers:
    """An event: changes of one topic."""

    topic: str
    numbers: Sequence[int]
    header: bool = False

    def __len__(self):
        return len(self.numbers)

    def outline(self):
        return Outline(len(self), KEY, VALUE, 20 * len(self), 20 * len(self))

    def source_records(self):
        numbers = self.numbers
        is_live = np.array([n % 10 != 9 for n in numbers])
        is_odd = np.array([n % 2 == 1 for n in numbers])
        columns = [numbers, ["c"] * len(numbers), [{"id": n, "text": f'row {n} "ü"'} for n in numbers], [True] * len(numbers)]
        headers = (SourceHeader("odd", ODD, is_odd), SourceHeader("n", NUMBER)) if self.header else ()
        return SourceRecords(
            EventKind.ROWS,
            self.topic,
            KEY,
            VALUE,
            [Objects(each) for each in columns],
            every_record(len(numbers)),
            np.array([1_700_000_000_000 + n for n in numbers], np.int64),
            binary([b"%012d" % n for n in numbers]),
            np.array(numbers, np.int64),
            has_value=is_live,
            headers=headers,
        )


def records_of(topic, numbers, *, header=False) -> Records:
    headers = ()
    if header:
        headers = (
            Header("odd", binary([b"true" if n % 2 else None for n in numbers])),
            Header("n", binary([b"%d" % n for n in numbers])),
        )
    return Records(
        topic,
        binary([orjson.dumps({"id": n}) for n in numbers]),
        binary(
            [
                None if n % 10 == 9 else orjson.dumps({"op": "c", "after": {"id": n, "text": f'row {n} "ü"'}})
                for n in numbers
            ]
        ),
        np.array([1_700_000_000_000 + n for n in numbers], np.int64),
        binary([b"%012d" % n for n in numbers]),
        np.array(numbers, np.int64),
        headers,
    )


def binary(values) -> Binary:
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(v or b"") for v in values], out=offsets[1:])
    valid = np.array([v is not None for v in values], np.bool_) if None in values else None
    return Binary(np.frombuffer(b"".join(v or b"" for v in values) or b" ", np.uint8), offsets, valid)


def delivered(folder):
    """The numbers of all changes in the files of a counting job, in order."""
    lines = (line for file in folder.glob("out/count.*/*.jsonl") for line in file.open())
    return sorted(orjson.loads(line)["key"]["id"] for line in lines)
