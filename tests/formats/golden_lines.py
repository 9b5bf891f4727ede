"""Golden lines: change events with schemas that real Debezium wrote, of MySQL, SQL Server and Db2, in every mode of types.

`data/mysql.jsonl.gz` was recorded for this (`tests.formats.recording`); the others are those of the comparisons with Debezium.
Of lines that look alike a few are kept. What no connector writes at will (nulls with schemas, odd structs) is in `made_lines`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.formats.made_lines import made_lines

MADE: Final = "made"
Line = Mapping[str, Any]
_FOLDER: Final = Path(__file__).parent
_COMPARISONS: Final = _FOLDER.parent / "differential"
_MYSQL: Final = _FOLDER / "data" / "mysql.jsonl.gz"
_PROPERTIES: Final = re.compile(r'^\{"properties": "([^"]*)"', re.MULTILINE)
_WITH_SCHEMAS: Final = '"value":{"schema":'
_ALIKE: Final = 2
_FIRST_TIME: Final = 1_700_000_000_000  # ms; recorded lines don't have the time of the Kafka record


@cache
def golden_lines(source: str) -> tuple[Line, ...]:
    """The lines of a source: a name of `sources`."""
    if source == MADE:
        return tuple(made_lines())
    found = list(_few(_mysql(source) if source.startswith("mysql: ") else _compared(source)))
    if "default-values" in source:
        found += [nulled for line in found if (nulled := _nulled(line)) is not None]
    return tuple(_line(line, number) for number, line in enumerate(found))


@cache
def sources() -> tuple[str, ...]:
    """The names of all sources: the database and what was recorded."""
    with gzip.open(_MYSQL, "rt", encoding="utf-8") as file:
        found = [f"mysql: {name}" for name in dict.fromkeys(_PROPERTIES.findall(file.read()))]
    for place in ("snapshots", "sqlserver", "db2"):
        paths = sorted((_COMPARISONS / place / "golden").glob("*.jsonl"))
        found += [f"{place}: {path.stem}" for path in paths if _WITH_SCHEMAS in path.read_text(encoding="utf-8")]
    return (*found, MADE)


def every_line() -> tuple[Line, ...]:
    """All of them, as one log: topics have the source before them, so that those of two sources are not mixed."""
    lines = []
    for number, source in enumerate(sources()):
        lines += [{**line, "topic": f"s{number}.{line['topic']}"} for line in golden_lines(source)]
    return tuple(lines)


def _mysql(source: str) -> Iterator[Line]:
    mine = json.dumps({"properties": source.removeprefix("mysql: ")})[:-1]
    with gzip.open(_MYSQL, "rt", encoding="utf-8", newline="\n") as lines:
        for text in lines:
            if text.startswith(mine):
                yield json.loads(text)


def _compared(source: str) -> Iterator[Line]:
    place, name = source.split(": ")
    return (line for line in _read(_COMPARISONS / place / "golden" / f"{name}.jsonl") if _fits(line))


def _read(path: Path) -> Iterator[Line]:
    with path.open(encoding="utf-8") as lines:
        return iter([json.loads(line) for line in lines])


def _fits(line: Line) -> bool:
    """Whether key, value and headers have schemas, or are null."""
    messages = [line["key"], line["value"], *line["headers"].values()]
    return all(message is None or set(message) == {"schema", "payload"} for message in messages if message is not None)


def _few(lines: Iterator[Line]) -> Iterator[Line]:
    """A few of each kind; what one kept line has behind it (a tombstone) is kept with it."""
    alike: Counter[str] = Counter()
    kept = False
    for line in lines:
        kind = json.dumps([line["topic"], _look(line["key"]), _look(line["value"]), sorted(line["headers"])])
        alike[kind] += 1
        kept = alike[kind] <= _ALIKE or "outbox" in line["topic"] or (kept and line["value"] is None)
        if kept:
            yield line


def _look(message: Any) -> Any:
    if message is None:
        return None
    payload = message["payload"]
    if not isinstance(payload, dict):
        return message
    return [message["schema"], payload.get("op"), payload.get("status"), payload.get("before") is None]


def _nulled(line: Line) -> Line | None:
    """The change event with null in each column that may be null and has a default; None if there is no such column.

    These were recorded with a converter that writes the default for them.
    """
    rows = [each for each in line["value"]["schema"]["fields"] if each["field"] in ("before", "after")] if line["value"] else []
    nulls = {each["field"]: None for row in rows for each in row["fields"] if each["optional"] and "default" in each}
    if not nulls:
        return None
    payload = dict(line["value"]["payload"])
    for name in ("before", "after"):
        payload[name] = payload[name] and payload[name] | nulls
    return {**line, "value": {"schema": line["value"]["schema"], "payload": payload}}


def _line(line: Line, number: int) -> Line:
    return {
        "topic": line["topic"],
        "partition": line["partition"],
        "timestamp": _FIRST_TIME + 1000 * number,
        "key": line["key"],
        "value": line["value"],
        "headers": [[name, message] for name, message in line["headers"].items()],
    }
