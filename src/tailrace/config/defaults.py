"""Properties from elsewhere that count where the connector has none of its own: those of Kafka Connect's worker."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.property import PropertyTables

_CONVERTERS = ("key.converter", "value.converter", "header.converter")


def with_defaults(flat: Mapping[str, str], defaults: Mapping[str, str], tables: PropertyTables) -> dict[str, str]:
    """Both together. A converter is taken whole, with all its properties, from where its class is named, as in Connect."""
    given = {tables.current_name(name) for name in flat}
    own = tuple(f"{name}." for name in _CONVERTERS if name in given)
    others = {
        name: value
        for name, value in defaults.items()
        if tables.current_name(name) not in given and not (own and name.startswith(own))
    }
    return others | dict(flat)
