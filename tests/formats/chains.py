"""Chains of transforms by Connect's own property names, run on both sides and compared on golden lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from tests.formats.comparing import Comparison, Same, assert_same, same_json
from tests.formats.connect_parts import ConnectParts, Converter, Failure, Line, Outcome, Predicate, Transform
from tests.formats.golden_lines import golden_lines, sources

from support.unit_settings import unit_settings
from tailrace.changes.merging import in_log_order
from tailrace.changes.records import Records
from tailrace.changes.source_records import SourceRecords
from tailrace.encoding.encoder import Encoder
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
    format_ = JsonFormat(schemas=schemas, defaults=defaults)
    ours = Ours(chain, JsonEncoder(format_, format_, format_))
    return same_records(parts, lines, ours, chain, [Converter(_JSON, options)] * 3)


def same_records(
    parts: ConnectParts,
    lines: Sequence[Line],
    ours: Ours,
    chain: Sequence[Transform],
    converters: Sequence[Converter],
    same: Same = same_json,
) -> Comparison:
    """Fails where `ours` gives other records than the real chain and the real converters of keys, values and headers."""
    key, value, header = converters
    return assert_same(KafkaBehind(parts), lines, ours, chain, key=key, value=value, header=header, same=same)


def all_same(parts: ConnectParts, chain: Sequence[Transform], lines: Sequence[Line] | None = None) -> Comparison:
    """The comparison with schemas and nulls as they are, and without schemas and with defaults."""
    given = some_lines() if lines is None else lines
    same_chain(parts, given, chain, schemas=False, defaults=True)
    return same_chain(parts, given, chain)


def assert_as_real(
    parts: ConnectParts, lines: Sequence[Line], *chain: Transform, alone: bool = False, schemas: Sequence[bool] = (True, False)
) -> Comparison:
    """Fail where records differ, with JsonConverter's usual settings; else return what was compared, of both formats.

    `alone`: each line is given to transforms of its own, because the real one goes by what it has seen before.
    """
    found = Comparison()
    for with_schemas in schemas:
        for some in [[line] for line in lines] if alone else [lines]:
            each = same_chain(parts, some, chain, schemas=with_schemas, defaults=True)
            found.records += each.records
            found.dropped += each.dropped
            found.failed += each.failed
    return found


class Ours:
    """tailrace's chain: as it is configured, with the records of a topic in log order behind it."""

    def __init__(self, chain: Sequence[Transform], encoder: Encoder[Records]) -> None:
        self._transforms = transforms_of(unit_settings(properties_of(chain)))
        self._encoder = encoder

    def __call__(self, records: SourceRecords) -> Sequence[Records]:
        return in_log_order([self._encoder.encode(each) for each in transformed(records, self._transforms)])


class KafkaBehind(ConnectParts):
    """Real parts, with Kafka behind them, which takes no record whose topic has no name."""

    def __init__(self, parts: ConnectParts) -> None:
        """`parts` runs the jobs."""
        self._parts = parts

    def run(self, lines: Sequence[Line], *args: Any, **kwargs: Any) -> list[Outcome]:
        """What each line becomes."""
        return [_delivered(each) for each in self._parts.run(lines, *args, **kwargs)]


def _delivered(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Failure) or all(record.topic for record in outcome):
        return outcome
    return Failure("the topic has no name")


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


def chain_in(properties: Mapping[str, str]) -> list[Transform]:
    """The chain that a configuration names: the inverse of `properties_of`."""
    aliases = [each.strip() for each in properties.get("transforms", "").split(",")]
    return [_transform(_below(f"transforms.{alias}.", properties), properties) for alias in filter(None, aliases)]


def _transform(given: dict[str, str], properties: Mapping[str, str]) -> Transform:
    type_, named = given.pop("type"), given.pop("predicate", None)
    negate = given.pop("negate", "false").lower() == "true"
    if named is None:
        return Transform(type_, given)
    of_predicate = _below(f"predicates.{named}.", properties)
    return Transform(type_, given, Predicate(of_predicate.pop("type"), of_predicate), negate)


def _below(prefix: str, properties: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(prefix): text for name, text in properties.items() if name.startswith(prefix)}


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


def lines_of(topic: str, *, among: str = "") -> list[Line]:
    """The golden lines of all sources whose topic ends so, one list after the other; `among`: of sources named so."""
    return [line for source in sources() if among in source for line in golden_lines(source) if line["topic"].endswith(topic)]
