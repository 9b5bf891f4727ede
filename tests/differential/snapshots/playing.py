"""What tailrace tells in the scenarios that Debezium was recorded in: the same tables, properties and steps, no Spark.

Where the log stood and what the clock said is not comparable: `placeless` takes it out, after looking whether it is right
in itself (one position for all records of a snapshot, the same in each of its fields).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.differential import cases, debezium
from tests.differential.records import Record, loads
from tests.differential.snapshots.comparing import VOLATILE
from tests.differential.snapshots.recording import emptied
from tests.differential.snapshots.rules import MARKS, payload
from tests.differential.snapshots.running import PREFIX, Captured
from tests.differential.snapshots.scenarios import SMALL, Scenario

from support.reading import Read, batches, told_in
from support.snapshotting import taken
from tailrace.config.settings import Settings
from tailrace.connectors.base import Progress
from tailrace.connectors.load import from_mapping
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace_standins.servers.mysql_server import MySqlServer

ENGINE_ONLY = re.compile(r"offset\.|schema\.history\.internal$|schema\.history\.internal\.file")
NOT_COMPARED = re.compile(rf"{ENGINE_ONLY.pattern}|notification\.")
HEARTBEATS = f"__debezium-heartbeat.{PREFIX}"
AT_DEFAULT = re.compile(VOLATILE[3].path)


@dataclass(frozen=True)
class Told:
    """A record, and the partition that it is bound for; None: the one that its key says."""

    record: Record
    partition: int | None


def prepared(scenario: Scenario, server: MySqlServer) -> None:
    """The scenario's tables, and no others."""
    emptied(server)
    cases.run_all(server.port, [*scenario.tables, "COMMIT"])


def settings_of(scenario: Scenario, server: MySqlServer, *, notified: bool = False, **changed: str) -> Settings:
    """tailrace's settings; `_` stands for a dot. `notified`: notifications are told, if the scenario wants them."""
    more = {name.replace("_", "."): value for name, value in changed.items()}
    given = {**debezium.base_properties(server.port, PREFIX, Path()), **SMALL, **scenario.properties, **more}
    left_out = ENGINE_ONLY if notified else NOT_COMPARED
    kept = {name: value for name, value in given.items() if not left_out.match(name)}
    return from_mapping({"header.converter": "org.apache.kafka.connect.json.JsonConverter", **kept})


def snapshot(
    settings: Settings, lanes: int = 1, stop_every: int | None = None, after: Sequence[Progress] = ()
) -> list[Told]:
    """An initial snapshot, which is stopped now and then; `after`: as in `Connector.start_point`."""
    return [*map(_told, taken(settings, lanes, stop_every, after=after).told)]


def begun(settings: Settings) -> tuple[list[Told], Read]:
    """What a connector says that begins without a snapshot of rows, and where it reads on."""
    point = MySqlConnector(settings).start_point()
    return first_batch(settings, Read(Progress("", point.restart), list(point.history)))


def first_batch(settings: Settings, read: Read) -> tuple[list[Told], Read]:
    """What the first batch of a reader has that goes on where `read` stands, and where it reads on."""
    reader = batches(settings, read, now_us=None)
    batch = next(reader)
    reader.close()
    read.take(batch)
    return [*map(_told, told_in(batch))], read


def of_debezium(captured: Sequence[Captured], run: int = 0) -> list[Told]:
    """What Debezium told in one run of its snapshot, with the heartbeat at its end, and nothing that came later."""
    of_run = [each for each in captured if each.run == run]
    last = max((i for i, each in enumerate(of_run) if each.mark in MARKS), default=-1)
    beats = [i for i, each in enumerate(of_run) if each.record.topic == HEARTBEATS]
    return [
        Told(each.record, each.partition)
        for i, each in enumerate(of_run)
        if each.mark in MARKS or (beats and i == beats[0] and i > last)
    ]


def placeless(told: Iterable[Told]) -> Iterator[Record]:
    """The records without the position that they are all of, and without what a default value took from the clock."""
    places = set()
    for each in told:
        source = payload(each.record.value).get("source") or {}
        places |= {(source["file"], source["pos"])} if source else set()
        assert len(places) <= 1, f"a snapshot of two positions: {places}"
        yield replace(each.record, value=_without(each.record.value, ""))


def _without(value: Any, path: str) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _blank(inner, f"{path}.{name}") for name, inner in value.items()}


def _blank(value: Any, path: str) -> Any:
    if re.fullmatch(r"(\.payload)?\.source\.(file|pos)", path) or AT_DEFAULT.fullmatch(f"value{path}"):
        return type(value).__name__
    return _without(value, path)


def _told(given: tuple[str, int | None, Mapping[str, Any]]) -> Told:
    topic, partition, plain = given
    return Told(record_of(topic, plain), partition)


def record_of(topic: str, plain: Mapping[str, Any]) -> Record:
    """The record that a test's reading gave as bytes."""
    headers = {name: _parsed(value) for name, value in plain["headers"].items()}
    return Record(topic, _parsed(plain["key"]), _parsed(plain["value"]), headers)


def _parsed(text: bytes | None) -> Any:
    """Bytes that are no UTF-8 become lone surrogates, which equal nothing that Debezium writes."""
    return None if text is None else loads(text.decode("utf-8", "surrogateescape"))
