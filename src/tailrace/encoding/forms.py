"""In which form a key or a value is delivered, in a few words: `JSON`, `text`, `Avro, subject shop.orders-value`.

Nothing is asked of a registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace.changes.layouts import Layout
from tailrace.config.settings import Settings
from tailrace.converter_classes import JSON, STRING
from tailrace.errors import TailraceError

if TYPE_CHECKING:
    from tailrace.encoding.avro.settings import AvroConverterSettings

KEY: Final = "key"
VALUE: Final = "value"


def form_of(settings: Settings, part: str, topic: str, layout: Layout) -> str:
    """The form of the keys or values (`part`) with this layout in a topic."""
    converter = str(getattr(settings, f"{part}_converter"))
    if converter == JSON:
        return "JSON with its schema" if getattr(settings, f"{part}_converter_schemas_enable") else "JSON"
    if converter == STRING:
        return "text"
    name = converter.rpartition(".")[2]
    from tailrace.encoding.avro.settings import AvroConverterSettings  # only with such a converter

    own = getattr(settings, f"{part}_format")
    return _avro(own, topic, layout) if isinstance(own, AvroConverterSettings) else f"as {name} writes it"


def _avro(own: AvroConverterSettings, topic: str, layout: Layout) -> str:
    from tailrace.encoding.avro.encoder import schema_ids_for  # as above
    from tailrace.encoding.avro.schema_text import avro_schema

    ids = schema_ids_for(own)
    try:
        return f"Avro, {ids.described(topic, avro_schema(layout.schema, own.options))}"
    except TailraceError as error:
        return f"Avro, which fails: {error}"
    finally:
        ids.close()
