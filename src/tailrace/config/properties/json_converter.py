"""The properties of Kafka's JsonConverter, wherever it stands.

Source: Kafka's documentation of Connect, and the converter's own list of properties (4.3).
"""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property, Status

NUMERIC: Final = "NUMERIC"


def json_properties(what: str) -> tuple[Property, ...]:
    """The properties, by names without a prefix; `what` is what the converter writes: `key`, `value`, `header`."""
    return (
        Property(
            name="schemas.enable", kind=Kind.BOOL, default=True, doc=f"Whether each {what} carries its schema."
        ),
        Property(
            name="decimal.format",
            kind=Kind.ENUM,
            default="BASE64",
            allowed=("BASE64", NUMERIC),
            doc=f"How Connect decimals stand in JSON {what}s: the bytes of the unscaled value, or a number.",
        ),
        Property(
            name="replace.null.with.default",
            kind=Kind.BOOL,
            default=True,
            doc="Whether a null of a field with a default value is written as that default, as Connect does.",
        ),
        Property(
            name="schemas.cache.size",
            kind=Kind.INT,
            default=1000,
            status=Status.IGNORED,
            reason="schemas are rendered once for each structure",
            doc="How many schemas the converter remembers.",
        ),
        Property(
            name="schema.content",
            status=Status.IGNORED,
            reason="it is for reading: what a connector writes has the schemas that its events have",
            doc="A schema for messages that have none in them.",
        ),
    )
