"""Chains of transforms by Connect's own property names, run on both sides and compared on golden lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from tests.formats.comparing import Comparison, assert_same
from tests.formats.connect_parts import ConnectParts, Converter, Line, Predicate, Transform
from tests.formats.golden_lines import golden_lines

from support.unit_settings import unit_settings
from tailrace.changes.merging import in_log_order
from tailrace.changes.records import Records
from tailrace.changes.source_records import SourceRecords
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.pipeline import transforms_of
from tailrace.transforms.chain import transformed

KAFKA: Final = "org.apache.kafka.connect.transforms."
UNWRAP: Final = Transform("io.debezium.transforms.ExtractNewRecordState")
ROWS: Final = Transform(UNWRAP.type, {"delete.tombstone.handling.mode": "rewrite", "replace.null.with.default": "false"})
_JSON: Final = "org.apache.kafka.connect.json.JsonConverter"


def kafka(name: str, options: Mapping[str, str] | None = None, predicate: Predicate | None = None) -> Transform:
    """One of Kafka's transforms by its name."""
    return Transform(KAFKA + name, dict(options or {}), predicate)


def same_chain(
    parts: ConnectParts,
    lines: Sequence[Line],
    chain: Sequence[Transform],
    *,
    schemas: bool = True,
    defaults: bool = False,
) -> Comparison:
    """Fails where tailrace's chain gives other records than the real one; JSON with these settings."""
    options = {"schemas.enable": str(schemas).lower(), "replace.null.with.default": str(defaults).lower()}
    converter = Converter(_JSON, options)
    format_ = JsonFormat(schemas=schemas, defaults=defaults)
    ours = Ours(chain, JsonEncoder(format_, format_, format_))
    return assert_same(parts, lines, ours, chain, key=converter, value=converter, header=converter)


class Ours:
    """tailrace's chain: as it is configured, with the records of a topic in log order behind it."""

    def __init__(self, chain: Sequence[Transform], encoder: JsonEncoder) -> None:
        self._transforms = transforms_of(unit_settings(properties_of(chain)))
        self._encoder = encoder

    def __call__(self, records: SourceRecords) -> Sequence[Records]:
        return in_log_order([self._encoder.encode(each) for each in transformed(records, self._transforms)])


def properties_of(chain: Sequence[Transform]) -> dict[str, Any]:
    """The chain in a configuration."""
    names = [f"t{number}" for number in range(len(chain))]
    found: dict[str, Any] = {"transforms": ",".join(names)}
    for name, each in zip(names, chain, strict=True):
        found[f"transforms.{name}.type"] = each.type
        found |= {f"transforms.{name}.{option}": value for option, value in each.options.items()}
        if each.predicate is not None:
            found |= {f"predicates.of_{name}.{option}": value for option, value in each.predicate.options.items()}
            found[f"predicates.of_{name}.type"] = each.predicate.type
            found["predicates"] = ",".join([*filter(None, found.get("predicates", "").split(",")), f"of_{name}"])
            found[f"transforms.{name}.predicate"] = f"of_{name}"
            found[f"transforms.{name}.negate"] = each.negate
    return found


@cache
def some_lines() -> tuple[Line, ...]:
    """Few lines with what transforms tell apart: defaults, tombstones, keyless tables, transactions, heartbeats, schema changes."""
    chosen = [
        *golden_lines("mysql: transactions")[::3],
        *golden_lines("sqlserver: default-values"),
        *golden_lines("sqlserver: heartbeats"),
        *golden_lines("mysql: defaults")[-20:],
    ]
    return tuple(chosen)


def all_same(parts: ConnectParts, chain: Sequence[Transform], lines: Sequence[Line] | None = None) -> Comparison:
    """The comparison with schemas and nulls as they are, and without schemas and with defaults."""
    given = some_lines() if lines is None else lines
    same_chain(parts, given, chain, schemas=False, defaults=True)
    return same_chain(parts, given, chain)
