"""Debezium's embedded engine in a Java machine of its own: `python engine.py JOB.json`.

Started by `debezium.py` as a child process, so that the machine can be killed and its memory comes back. The job
names the connector's properties and where the records go: JSON lines of topic, partition, key, value and headers,
with the converters' text as it is.

With `most` it stops behind that many records, and nothing that was not written counts as processed.

With `count` no line is written: Debezium does all its work, up to the converted bytes, and the child prints one line
of figures at the end.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

import jpype


def main(path: str) -> None:
    """Run one job; the process ends without a farewell to the engine unless the job asks for one."""
    job = json.loads(Path(path).read_text())
    jpype.startJVM(job["libjvm"], *job["java_options"], classpath=job["jars"], convertStrings=False)
    if job.get("offset"):
        _store_offset(job)
    with Path(job["out"]).open("w", encoding="utf-8") as out:
        run = Run(job, out)
        run.until_done()
        out.flush()
        run.report()
    os._exit(1 if run.error else 0)


class Run:
    """One engine, its consumer, and when it is to stop."""

    def __init__(self, job: dict[str, Any], out: TextIO) -> None:
        self.job = job
        self.out = out
        self.error = ""
        self.count = 0
        self.started = self.first = self.last = time.monotonic()
        self.cpu = (0.0, 0.0)
        self._stop = threading.Event()
        self._seen: set[str] = set()

    def until_done(self) -> None:
        """Return when the marker has been seen, the engine has ended, or nothing came for the idle time."""
        engine = self._engine()
        thread = jpype.JClass("java.lang.Thread")(engine)
        thread.setContextClassLoader(jpype.JClass("java.lang.ClassLoader").getSystemClassLoader())
        thread.start()
        while not self._stop.wait(0.05):
            quiet = time.monotonic() - self.last
            if quiet > (self.job["idle"] if self.count else self.job["patience"]):
                if self.job.get("marker"):
                    self.error = self.error or f"no marker after {quiet:.0f} s without a record"
                break
        if self.job.get("graceful") and not self.error:  # one that failed has closed itself
            engine.close()

    def report(self) -> None:
        """One line of figures for the parent."""
        span = self.last - self.first
        figures = {
            "records": self.count,
            "seconds": round(span, 4),
            "cpu_seconds": round(self.cpu[1] - self.cpu[0], 4),
            "started_after": round(self.first - self.started, 3),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "error": self.error,
        }
        print(json.dumps(figures), flush=True)

    def _engine(self) -> Any:
        engine = jpype.JClass("io.debezium.engine.DebeziumEngine")
        json_format = jpype.JClass("io.debezium.engine.format.Json")
        formats = jpype.JClass("io.debezium.engine.format.KeyValueHeaderChangeEventFormat")
        done = jpype.JProxy("io.debezium.engine.DebeziumEngine$CompletionCallback", dict={"handle": self._ended})
        methods = {"handleBatch": self._batch, "supportsTombstoneEvents": lambda: True}
        consumer = jpype.JProxy("io.debezium.engine.DebeziumEngine$ChangeConsumer", dict=methods)
        built = engine.create(formats.of(json_format, json_format, json_format))
        built = built.using(_properties(self.job["properties"])).notifying(consumer)
        return built.using(done).build()

    def _ended(self, success: bool, message: Any, error: Any) -> None:
        if not success and not self._stop.is_set():  # what it complains of when it is stopped is no matter
            self.error = f"{message} {error or ''}".strip()
        self._stop.set()

    def _batch(self, records: Any, committer: Any) -> None:
        if self.job.get("most"):
            self._few(records, committer)
            return
        size = int(records.size())
        if not self.count:
            self.first, self.cpu = time.monotonic(), (_cpu(), 0.0)
        self.count += size
        self.cpu = (self.cpu[0], _cpu())
        if self.job["count"]:
            at_end = self._is_marker(records.get(size - 1))
        else:
            written = [self._write(record) for record in records]
            at_end = any(written)
        committer.markProcessed(records.get(size - 1))
        committer.markBatchFinished()
        self.last, self.cpu = time.monotonic(), (self.cpu[0], _cpu())
        if at_end:
            self._stop.set()

    def _few(self, records: Any, committer: Any) -> None:
        """Take records one by one, up to the most that are wanted."""
        for record in records:
            if self._stop.is_set():
                return
            self._write(record)
            committer.markProcessed(record)
            self.count += 1
            if self.count >= self.job["most"]:
                committer.markBatchFinished()
                self._stop.set()
        committer.markBatchFinished()
        self.last = time.monotonic()

    def _write(self, record: Any) -> bool:
        if self._stop.is_set():
            return True
        key, value = record.key(), record.value()
        headers = ",".join(f"{json.dumps(str(h.getKey()))}:{_text(h.getValue())}" for h in record.headers())
        partition = record.partition()
        self.out.write(
            f'{{"topic":{json.dumps(str(record.destination()))},"partition":{_text(partition)},'
            f'"key":{_text(key)},"value":{_text(value)},"headers":{{{headers}}}}}\n'
        )
        if self._is_marker(record):
            self._stop.set()
        return self._stop.is_set()

    def _is_marker(self, record: Any) -> bool:
        marker = self.job.get("marker")
        return bool(marker) and str(record.destination()) == marker


def _text(value: Any) -> str:
    return "null" if value is None else str(value)


def _properties(properties: dict[str, str]) -> Any:
    made = jpype.JClass("java.util.Properties")()
    for name, value in properties.items():
        made.setProperty(name, value)
    return made


def _store_offset(job: dict[str, Any]) -> None:
    """Write the file of Connect's FileOffsetBackingStore: a serialised map of byte strings."""
    properties = job["properties"]
    key = json.dumps([properties["name"], {"server": properties["topic.prefix"]}], separators=(",", ":"))
    value = json.dumps(job["offset"], separators=(",", ":"))
    entries = jpype.JClass("java.util.HashMap")()
    entries.put(jpype.JArray(jpype.JByte)(key.encode()), jpype.JArray(jpype.JByte)(value.encode()))
    file = jpype.JClass("java.io.FileOutputStream")(properties["offset.storage.file.filename"])
    with jpype.JClass("java.io.ObjectOutputStream")(file) as stream:
        stream.writeObject(entries)


def _cpu() -> float:
    used = os.times()
    return used.user + used.system


if __name__ == "__main__":
    main(sys.argv[1])
