"""A transform as a configuration names it, beside the real one, on golden lines: with schemas and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.formats.comparing import Comparison, Ours, assert_same
from tests.formats.connect_parts import JSON_WITH_SCHEMAS, ConnectParts, Converter, Failure, Line, Outcome, Transform
from tests.formats.golden_lines import golden_lines, sources

from support.unit_settings import unit_settings
from tailrace.changes.merging import in_log_order
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.pipeline import transforms_of
from tailrace.transforms.chain import transformed

WITHOUT_SCHEMAS = Converter("org.apache.kafka.connect.json.JsonConverter", {"schemas.enable": "false"})


class KafkaBehind:
    """Real parts, with Kafka behind them, which takes no record whose topic has no name."""

    def __init__(self, parts: ConnectParts) -> None:
        self._parts = parts

    def run(self, lines: Sequence[Line], *args: Any, **kwargs: Any) -> list[Outcome]:
        """What each line becomes."""
        return [_delivered(each) for each in self._parts.run(lines, *args, **kwargs)]


def _delivered(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Failure) or all(record.topic for record in outcome):
        return outcome
    return Failure("the topic has no name")


def ours(chain: Sequence[Transform], *, schemas: bool) -> Ours:
    """tailrace's transforms of the same classes and options, and its JSON encoder."""
    format_ = JsonFormat(schemas=schemas)
    encoder = JsonEncoder(format_, format_, format_)
    transforms = transforms_of(unit_settings(properties(chain)))
    return lambda records: in_log_order([encoder.encode(each) for each in transformed(records, transforms)])


def properties(chain: Sequence[Transform]) -> dict[str, str]:
    """The properties of a connector with these transforms."""
    found = {"transforms": ",".join(f"t{i}" for i in range(len(chain)))}
    for i, each in enumerate(chain):
        given: Mapping[str, str] = {"type": each.type, **each.options}
        found |= {f"transforms.t{i}.{name}": value for name, value in given.items()}
    return found


def assert_as_real(
    parts: ConnectParts, lines: Sequence[Line], *chain: Transform, alone: bool = False, schemas: Sequence[bool] = (True, False)
) -> Comparison:
    """Fail where records differ; else return what was compared, of both formats.

    `alone`: each line is given to transforms of its own, because the real one goes by what it has seen before.
    """
    found = Comparison()
    for with_schemas in schemas:
        converter = JSON_WITH_SCHEMAS if with_schemas else WITHOUT_SCHEMAS
        for some in [[line] for line in lines] if alone else [lines]:
            each = assert_same(
                KafkaBehind(parts), some, ours(chain, schemas=with_schemas), chain, key=converter, value=converter, header=converter
            )
            found.records += each.records
            found.dropped += each.dropped
            found.failed += each.failed
    return found


def lines_of(topic: str, *, among: str = "") -> list[Line]:
    """The golden lines of all sources whose topic ends so, one list after the other; `among`: of sources named so."""
    return [line for source in sources() if among in source for line in golden_lines(source) if line["topic"].endswith(topic)]
