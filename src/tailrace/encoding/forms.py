"""In which form a key or a value is delivered, in a few words: `JSON`, `text`, `Avro, subject shop.orders-value`.

Nothing is asked of a registry.
"""

from __future__ import annotations

from typing import Final

from tailrace.changes.layouts import Layout
from tailrace.config.settings import Settings
from tailrace.converter_classes import JSON
from tailrace.encoding.converters import CONVERTERS
from tailrace.encoding.registered.messages import RegisteredMessages
from tailrace.errors import TailraceError

KEY: Final = "key"
VALUE: Final = "value"


def form_of(settings: Settings, part: str, topic: str, layout: Layout) -> str:
    """The form of the keys or values (`part`) with this layout in a topic."""
    converter = str(getattr(settings, f"{part}_converter"))
    if converter == JSON:
        return "JSON with its schema" if getattr(settings, f"{part}_converter_schemas_enable") else "JSON"
    own, given = CONVERTERS[converter], getattr(settings, f"{part}_format")
    if given is None:  # an offline check: a value is only known where the connector runs
        return f"{own.title}, some of whose properties are not known here"
    messages = own.making().messages(given)
    if not isinstance(messages, RegisteredMessages):
        return own.title
    try:
        return messages.described(topic, layout)
    except TailraceError as error:
        return f"{own.title}, which fails: {error}"
    finally:
        messages.close()
