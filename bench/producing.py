"""The floor of delivery into Kafka: the producer alone, with records that are there already.

    .venv/bin/python -m bench.producing [--rows 400000]

For sizes of a value as the workload `orders` has them, with schemas off and on, it sends batches in one transaction to a broker of its
own, and prints the rate and the CPU time of client and broker: with as many requests in flight as tailrace allows, and with
librdkafka's own default. Each way is measured three times in turn, the broker is warm. Half of a value is the same from record to record.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.measuring import topics  # noqa: E402
from bench.measuring.processes import cpu_seconds  # noqa: E402
from bench.measuring.servers import warm_broker  # noqa: E402

from tailrace.changes.records import Binary, Records, binary_of  # noqa: E402
from tailrace.kafka.options import FEW, IN_FLIGHT, PRODUCER  # noqa: E402
from tailrace.kafka.producer import Producer  # noqa: E402

SIZES = {"schemas off": 400, "schemas on": 4_200}  # bytes of a value
BATCH = 8_000
ROUNDS = 3


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400_000)
    rows = parser.parse_args().rows
    with warm_broker() as broker:
        for number in range(ROUNDS):
            for what, size in SIZES.items():
                for compression in ("lz4", "none"):
                    for in_flight in (FEW, "5"):
                        name = f"floor-{number}-{size}-{compression}-{in_flight}"
                        said = measure(broker.address, broker.pid, name, size, rows, compression, in_flight)
                        print(f"{what}, {compression}, {in_flight} in flight: {said}", flush=True)


def measure(address: str, broker: int, name: str, size: int, rows: int, compression: str, in_flight: str) -> str:
    """One way, once: its figures in words."""
    topics.create(address, [name], 4)
    own = {"bootstrap.servers": address, "compression.type": compression, "transactional.id": name}
    batches = [batch(name, size, number) for number in range(4)]
    producer = Producer({**PRODUCER, **own, IN_FLIGHT: in_flight}, transactional=True)
    try:
        producer.init_transactions(60)
        before, began = (cpu_seconds(os.getpid()), cpu_seconds(broker)), time.monotonic()
        producer.begin()
        for number in range(rows // BATCH):
            producer.send(batches[number % len(batches)])
        producer.commit(60)
        lasted = time.monotonic() - began
        client, server = cpu_seconds(os.getpid()) - before[0], cpu_seconds(broker) - before[1]
    finally:
        producer.close()
        topics.remove(address, name)
    millions = rows / 1e6
    return f"{rows / lasted:,.0f}/s, CPU s/M: client {client / millions:.2f}, broker {server / millions:.2f}"


def batch(topic: str, size: int, number: int) -> Records:
    """Records with keys of their own; the first half of each value is the same."""
    random = np.random.default_rng(number)
    values = random.integers(97, 122, (BATCH, size), dtype=np.uint8)
    values[:, : size // 2] = values[0, : size // 2]
    keys = binary_of([b'{"id":%d}' % (number * BATCH + row) for row in range(BATCH)])
    nowhere = Binary(np.zeros(0, np.uint8), np.zeros(BATCH + 1, np.int64))
    times = np.full(BATCH, int(time.time() * 1000))
    return Records(topic, keys, Binary(values.reshape(-1), np.arange(BATCH + 1) * size), times, nowhere, np.zeros(BATCH, np.int64))


if __name__ == "__main__":
    main()
