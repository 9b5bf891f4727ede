"""From costs to time and load: a snapshot of a terabyte, and a log of half a million changes a second, with so many executors.

Plain arithmetic. Each resource that all lanes share (the source's processors and network, the broker's) has a capacity, and each
row or change takes its part of it. The rate is that of the resource which is full first, and this one is the first limit.
Queues, contention within a server, and what other clients do are not in it, so real rates are lower.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Capacity:
    """What one machine has. An executor is one core that runs one lane.

    Attributes:
        source_cores, broker_cores: processors of the source and of the one broker.
        source_network, broker_network: bytes a second.
        broker_disk: bytes a second that it writes.

    """

    source_cores: float = 32
    broker_cores: float = 16
    source_network: float = 1.25e9
    broker_network: float = 1.25e9
    broker_disk: float = 1e9


@dataclass(frozen=True)
class SnapshotCosts:
    """Of one row of a snapshot.

    Attributes:
        lane_rate: rows a second of one lane.
        lane_cpu: seconds of the lane's core.
        source_cpu, broker_cpu: seconds of theirs.
        row_bytes: on the source's disk.
        wire_bytes: from the source to the lane.
        record_bytes: from the lane to the broker, compressed.

    """

    lane_rate: float
    lane_cpu: float
    source_cpu: float
    broker_cpu: float
    row_bytes: float
    wire_bytes: float
    record_bytes: float


@dataclass(frozen=True)
class LogCosts:
    """Of one change of the log.

    Attributes:
        own_cpu: seconds of the core of the lane that delivers it.
        skip_cpu: seconds of the core of each other lane.
        dump_cpu: seconds of the source for each lane that it sends the log to.
        broker_cpu: seconds of the broker.
        log_bytes: in the log.
        record_bytes: from the lane to the broker, compressed.

    """

    own_cpu: float
    skip_cpu: float
    dump_cpu: float
    broker_cpu: float
    log_bytes: float
    record_bytes: float


@dataclass(frozen=True)
class Estimate:
    """What is reached with a number of lanes.

    Attributes:
        lanes: how many.
        rate: rows, or changes, a second.
        limit: what is full first.
        rates: by resource, the rate at which it is full.

    """

    lanes: int
    rate: float
    limit: str
    rates: Mapping[str, float]

    def share(self, resource: str, rate: float | None = None) -> float:
        """The part of a resource that a rate takes; by default the one that is reached."""
        return (self.rate if rate is None else rate) / self.rates[resource]


def snapshot(lanes: int, costs: SnapshotCosts, capacity: Capacity) -> Estimate:
    """A snapshot with so many lanes."""
    return _estimate(
        lanes,
        {
            "lanes": lanes * min(costs.lane_rate, 1 / costs.lane_cpu),
            "source's processors": capacity.source_cores / costs.source_cpu,
            "source's network": capacity.source_network / costs.wire_bytes,
            "broker's processors": capacity.broker_cores / costs.broker_cpu,
            "broker's network": capacity.broker_network / costs.record_bytes,
            "broker's disk": capacity.broker_disk / costs.record_bytes,
        },
    )


def log(lanes: int, costs: LogCosts, capacity: Capacity, *, sources: int = 1) -> Estimate:
    """A log that so many lanes read whole; `sources` servers with the same log share the lanes."""
    readers = -(-lanes // sources)
    own = 1 / lanes
    return _estimate(
        lanes,
        {
            "lanes": 1 / (own * costs.own_cpu + (1 - own) * costs.skip_cpu),
            "source's processors": capacity.source_cores / (readers * costs.dump_cpu),
            "source's network": capacity.source_network / (readers * costs.log_bytes),
            "broker's processors": capacity.broker_cores / costs.broker_cpu,
            "broker's network": capacity.broker_network / costs.record_bytes,
            "broker's disk": capacity.broker_disk / costs.record_bytes,
        },
    )


def most_lanes(rate: float, costs: LogCosts, capacity: Capacity) -> int:
    """How many lanes one source can send a log of this rate to; 0 if none."""
    lanes = 0
    while lanes < 10_000:
        found = log(lanes + 1, costs, capacity).rates
        if min(found["source's processors"], found["source's network"]) < rate:
            break
        lanes += 1
    return lanes


def _estimate(lanes: int, rates: Mapping[str, float]) -> Estimate:
    limit = min(rates, key=lambda name: rates[name])
    return Estimate(lanes, rates[limit], limit, rates)
