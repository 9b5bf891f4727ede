"""The options of a converter that change schemas and data; the names are those of the converters' properties."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroOptions:
    """How Connect schemas and values become Avro.

    Attributes:
        meta_data: whether schemas have the `connect.*` properties (`connect.meta.data`).
        enums: whether text whose schema has the parameter `io.confluent.connect.avro.Enum` becomes an Avro enum
            (`enhanced.avro.schema.support`).
        scrub: whether names that Avro forbids are replaced (`scrub.invalid.names`); else they are an error.
        optional_map_keys: whether maps with optional text as keys are Avro maps (`allow.optional.map.keys`).
        old_docs: whether docs and defaults stand where versions before 6.0 put them (`discard.type.doc.default`).
        keep_nulls: whether a null in a field with a default stays null (`ignore.default.for.nullables`); else the default
            is written.
        decimals_first: whether scale and precision of decimals stand before the other properties, as Confluent's converter puts
            them; Apicurio's puts them last, and leaves them out where Avro does not know such a decimal.
        optional_records: whether an optional struct as a whole is a union with null, as Confluent's converter writes it;
            Apicurio's writes the record alone, as a null is no message in any case.
        bare_bytes: whether a whole key or value of type bytes is written without its length, as Confluent's does.

    """

    meta_data: bool = True
    enums: bool = False
    scrub: bool = False
    optional_map_keys: bool = False
    old_docs: bool = False
    keep_nulls: bool = False
    decimals_first: bool = True
    bare_bytes: bool = True
    optional_records: bool = True
