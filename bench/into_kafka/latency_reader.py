"""Records when a read-committed consumer gets records: `python latency_reader.py JOB.json`.

It prints "live" with the first record. When standard input ends it prints one line of JSON: for each record the id of its key
and the machine's monotonic clock in nanoseconds when the consumer returned it.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition


def main(path: str) -> None:
    job = json.loads(Path(path).read_text())
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    print(json.dumps(read(job, ended)), flush=True)


def read(job: dict[str, object], ended: threading.Event) -> list[tuple[int, int]]:
    """All arrivals until `ended` is set."""
    consumer = Consumer(
        {
            "bootstrap.servers": job["address"],
            "group.id": "bench-latency",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
        }
    )
    consumer.assign([TopicPartition(job["topic"], partition, 0) for partition in range(job["partitions"])])
    arrivals: list[tuple[bytes, int]] = []
    while not ended.is_set():
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            arrivals.append((message.key(), time.monotonic_ns()))
            if len(arrivals) == 1:
                print("live", flush=True)
    consumer.close()
    return [(json.loads(key)["id"], moment) for key, moment in arrivals]


if __name__ == "__main__":
    main(sys.argv[1])
