"""Debezium's embedded engine until it is told to end: `python -m tests.differential.snapshots.engine JOB.json`.

A snapshot, and what is asked of a running connector by signals, is followed step by step by the parent process: it
reads the records as they come, and ends the engine by closing this process's standard input. Each line has, beside what
`tests.differential.engine` writes, the partition and the offset that Kafka Connect would store with the record.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import jpype
from tests.differential import engine

AN_AGE = 1e9


def main(path: str) -> None:
    """Run one job until the end of the standard input."""
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    jpype.startJVM(job["libjvm"], *job["java_options"], classpath=job["jars"], convertStrings=False)
    with Path(job["out"]).open("w", encoding="utf-8") as out:
        run = Followed({"count": False, "idle": AN_AGE, "patience": AN_AGE, "graceful": True, **job}, out)
        threading.Thread(target=run.end_with_input, daemon=True).start()
        run.until_done()
        out.flush()
        run.report()
    os._exit(1 if run.error else 0)


class Followed(engine.Run):
    """One engine whose records are written as they come; what is not written does not count as processed."""

    def __init__(self, job: dict[str, Any], out: Any) -> None:
        super().__init__(job, out)
        self._to_json = jpype.JClass("com.fasterxml.jackson.databind.ObjectMapper")()

    def end_with_input(self) -> None:
        """Wait for the end of the standard input."""
        sys.stdin.read()
        self._stop.set()

    def _batch(self, records: Any, committer: Any) -> None:
        if self._stop.is_set():
            return
        for record in records:
            if self.job["hold"] and self.count == self.job["hold"]:
                self.out.flush()
                self._stop.wait()
                return
            self.out.write(self._line(record))
            committer.markProcessed(record)
            self.count += 1
        self.out.flush()
        committer.markBatchFinished()

    def _line(self, record: Any) -> str:
        stored = record.sourceRecord()
        headers = ",".join(f"{json.dumps(str(h.getKey()))}:{_text(h.getValue())}" for h in record.headers())
        return (
            f'{{"topic":{json.dumps(str(record.destination()))},"partition":{_text(record.partition())},'
            f'"key":{_text(record.key())},"value":{_text(record.value())},"headers":{{{headers}}},'
            f'"source":{self._json(stored.sourcePartition())},"offset":{self._json(stored.sourceOffset())}}}\n'
        )

    def _json(self, map_: Any) -> str:
        return str(self._to_json.writeValueAsString(map_))


def _text(value: Any) -> str:
    return "null" if value is None else str(value)


if __name__ == "__main__":
    main(sys.argv[1])
