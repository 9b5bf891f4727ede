"""The options of the converter that change schemas and data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchemaOptions:
    """How Connect schemas and values become JSON.

    Attributes:
        additional_properties: whether objects may have more members than the schema says (`object.additional.properties`).
        keep_nulls: whether a null in a field with a default stays null (`ignore.default.for.nullables`); else the default
            is written.

    """

    additional_properties: bool = True
    keep_nulls: bool = False
