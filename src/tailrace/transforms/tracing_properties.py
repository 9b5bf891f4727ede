"""Properties of tracing, which Debezium's EventRouter has where OpenTelemetry's libraries are beside it."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property
from tailrace.transforms.spec import Options

TRACING_PROPERTIES: Final = (
    Property(name="tracing.span.context.field", default="", doc="It has no effect: tailrace writes no traces."),
    Property(name="tracing.operation.name", default="", doc="It has no effect: tailrace writes no traces."),
    Property(
        name="tracing.with.context.field.only",
        kind=Kind.BOOL,
        default=True,
        doc="It has no effect: tailrace writes no traces.",
    ),
)


def without_tracing(options: Options, given: Options, _shape: str) -> tuple[Options, list[str]]:
    """The options without those of tracing, and a warning for those that are given."""
    tracing = {prop.attribute: prop.name for prop in TRACING_PROPERTIES}
    warnings = [f"{name} has no effect: tailrace writes no traces" for each, name in tracing.items() if each in given]
    return {name: value for name, value in options.items() if name not in tracing}, warnings
