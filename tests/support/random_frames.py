"""A reader of random work that reads a DataFrame: batches of any size, each read again later, by processes of their own."""

from __future__ import annotations

import json
import random
from typing import Any

from pyspark.sql.streaming.datasource import ReadMaxBytes

from support.streaming_frames import ALL, Offset, next_batch, read
from tailrace.source.cdc_source import INITIAL


class FrameReading:
    """A stream as a reader of random work: what its batches gave."""

    def __init__(self, options: dict[str, str]) -> None:
        self.options = options
        self.rows: list[dict[str, Any]] = []
        self.last: tuple[Offset, Offset, list[dict[str, Any]]] | None = None
        self.at = next_batch(self.options, INITIAL)
        read(self.options, INITIAL, self.at)

    def read_some(self, chance: random.Random) -> None:
        """A batch of any size; the last one is read again before it."""
        self.again()
        self.take(ReadMaxBytes(chance.choice((1, 300, 3000, 1 << 20))))

    def read_all(self) -> None:
        """To the head of now; then what was read may be cleaned up."""
        self.again()
        while self.take(ALL):
            pass
        self.last = None

    def take(self, limit: Any) -> bool:
        """The next batch; whether there is one."""
        end = next_batch(self.options, self.at, limit)
        if end == self.at:
            return False
        found = read(self.options, self.at, end)
        self.rows += found
        self.last, self.at = (self.at, end, found), end
        return True

    def again(self) -> None:
        """The last batch gives what it gave."""
        if self.last is not None:
            start, end, found = self.last
            assert read(self.options, start, end) == found

    @property
    def reads(self) -> Any:
        """What it told, as a connector's readers have it."""
        return [self]

    def of(self, table: str) -> list[dict[str, Any]]:
        """The records of topics that end so."""
        return [
            {"key": _json(row["key"]), "value": _json(row["value"]), "position": row["position"]}
            for row in self.rows
            if row["topic"].endswith(table)
        ]


def _json(text: str | None) -> Any:
    return None if text is None else json.loads(text)
