"""What there is to know of a converter that has properties of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailrace.object_paths import load_object

if TYPE_CHECKING:
    from tailrace.config.problems import Problems
    from tailrace.config.property import PropertyTables
    from tailrace.encoding.message_encoder import Messages
    from tailrace.registry.schemas import SchemaIds

ConverterSettings = Any
"""The settings of a converter: a type of the converter's own, which can be pickled and whose `repr` shows no secret."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reads a converter's properties.

    Attributes:
        tables: the properties that it has, by the name of its class.
        settings: the settings of a class (first argument) for `key` or `value` from its properties, by names without
            `key.converter.`; problems are added to the last argument, and `ConfigError` or `UnsupportedError` is raised.

    """

    tables: Callable[[str], PropertyTables]
    settings: Callable[[str, str, Mapping[str, str], Problems], ConverterSettings]


@dataclass(frozen=True, slots=True)
class Making:
    """What makes a converter's parts from its settings.

    Attributes:
        messages: what renders keys or values.
        schema_ids: the client of its schema registry; None: the settings ask for none.

    """

    messages: Callable[[ConverterSettings], Messages]
    schema_ids: Callable[[ConverterSettings], SchemaIds | None]


def always(_settings: ConverterSettings) -> bool:
    """With any settings."""
    return True


def never(_settings: ConverterSettings) -> bool:
    """With no settings."""
    return False


@dataclass(frozen=True, slots=True)
class Parts:
    """What reads and writes a converter's keys and values, by names of objects, so that it is imported only with the converter.

    Attributes:
        settings: as `Reading.settings`; `tables_of` is in the same module.
        messages: as `Making.messages`.
        schema_ids: as `Making.schema_ids`.

    """

    settings: str
    messages: str
    schema_ids: str

    def reading(self) -> Reading:
        """What reads the properties; imported now."""
        module = self.settings.partition(":")[0]
        return Reading(load_object(f"{module}:tables_of"), load_object(self.settings))

    def making(self) -> Making:
        """What encodes; imported now, compiled code with it."""
        return Making(load_object(self.messages), load_object(self.schema_ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnConverter:
    """A converter with properties of its own.

    Attributes:
        title: of its section in the reference.
        writes: what it writes, for the reference.
        compared: what was run beside it in tests (`tests/formats`), for the reference.
        parts: what reads its properties and what encodes.
        for_headers: whether it writes headers, too.
        takes_structs: whether it can write keys and envelopes as they are, with these settings; else transforms have to make
            something else of them.
        writes_json: whether it writes JSON with these settings, which goes into lines.
        reads_headers: whether it reads headers with these settings, which must be JSON with schemas then.

    """

    title: str
    writes: str
    compared: str
    parts: Parts
    for_headers: bool = False
    takes_structs: Callable[[ConverterSettings], bool] = always
    writes_json: Callable[[ConverterSettings], bool] = never
    reads_headers: Callable[[ConverterSettings], bool] = never

    def reading(self) -> Reading:
        """What reads its properties."""
        return self.parts.reading()

    def making(self) -> Making:
        """What encodes."""
        return self.parts.making()
