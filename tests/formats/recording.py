"""`python -m tests.formats.recording`: records `data/mysql.jsonl.gz`, what real Debezium writes of a history in MySQL.

The history is that of the comparison with Debezium (`tests.differential.cases`), with outbox tables (`data/outbox.sql`). It is
read once for each set of properties, always with schemas; each line is a record as of `tests.differential.engine` with the
name of the properties. Of records that look alike only some are kept.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.differential import cases, debezium

from tailrace_standins.servers.mysql_server import MySqlServer

DATA: Final = Path(__file__).with_name("data")
RECORDED: Final = DATA / "mysql.jsonl.gz"
MARKER: Final = "dbz.tailrace_marker.marker"
CASES: Final = ("types", "keys", "defaults")
# nulls in columns with a default must be there, which the converter of the engine would write as the default
NULLS: Final = {f"{part}.converter.replace.null.with.default": "false" for part in ("key", "value", "header")}
TYPES: Final = {"database.include.list": "d_types,d_defaults,d_formats,tailrace_marker", "include.schema.changes": "false"}
PROPERTIES: Final = {
    "defaults": {"skipped.operations": "none", "include.query": "true"},
    "transactions": {
        "provide.transaction.metadata": "true",
        "skipped.operations": "none",
        "extended.headers.enabled": "true",
        "heartbeat.interval.ms": "1",
        "database.include.list": "d_keys,d_formats,tailrace_marker",
    },
    "time connect, decimal string": {"time.precision.mode": "connect", "decimal.handling.mode": "string", **TYPES},
    "time isostring, decimal double": {"time.precision.mode": "isostring", "decimal.handling.mode": "double", **TYPES},
    "time microseconds, binary hex": {"time.precision.mode": "microseconds", "binary.handling.mode": "hex", **TYPES},
    "time nanoseconds, bigint precise": {
        "time.precision.mode": "nanoseconds",
        "bigint.unsigned.handling.mode": "precise",
        **TYPES,
    },
    "propagated, names for avro": {
        "column.propagate.source.type": ".*",
        "schema.name.adjustment.mode": "avro",
        "field.name.adjustment.mode": "avro",
        "database.include.list": "d_types,d_formats,tailrace_marker",
    },
}
_LONGEST: Final = 40_000  # characters of a line
_ALIKE: Final = 3  # records of one structure and operation that are kept


def main() -> None:
    """Record all."""
    with MySqlServer() as server, gzip.open(RECORDED, "wt", encoding="utf-8", newline="\n") as out:
        cases.run_all(server.port, cases.FIRST)
        start = cases.binlog_position(server.port)
        cases.run_all(server.port, _statements())
        cases.play(server.port, CASES)
        for name, properties in PROPERTIES.items():
            lines = list(_chosen(_recorded(server.port, start, properties)))
            out.writelines(json.dumps({"properties": name, **line}, ensure_ascii=False) + "\n" for line in lines)
            print(f"{name}: {len(lines)} records", flush=True)


def _statements() -> list[str]:
    text = re.sub(r"^--.*\n", "", (DATA / "outbox.sql").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [part.strip() for part in re.split(r";\s*$", text, flags=re.MULTILINE) if part.strip()]


def _recorded(port: int, start: Any, properties: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "history.jsonl").write_text(debezium.first_history("dbz", start), encoding="utf-8")
        base = debezium.base_properties(port, "dbz", folder) | {"extended.headers.enabled": "false"}
        debezium.run({**base, **NULLS, **properties}, folder / "records.jsonl", marker=MARKER, offset=start)
        return (folder / "records.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")  # U+2028 ends no line


def _chosen(lines: list[str]) -> Iterator[dict[str, Any]]:
    alike: Counter[str] = Counter()
    for text in lines:
        line = json.loads(text)
        kind = json.dumps([line["topic"], _look(line["key"]), _look(line["value"]), sorted(line["headers"])])
        alike[kind] += 1
        if len(text) <= _LONGEST and (alike[kind] <= _ALIKE or "outbox" in line["topic"]):
            yield line


def _look(message: Any) -> Any:
    """What tells kinds of records apart: the schema, and what was done to the row."""
    if message is None:
        return None
    payload = message["payload"]
    return [message["schema"], payload.get("op"), payload.get("status"), payload.get("before") is None]


if __name__ == "__main__":
    main()
