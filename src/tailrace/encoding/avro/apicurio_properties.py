"""The properties of Apicurio's AvroConverter: those of its registry, and Avro's own.

Source: Apicurio Registry's documentation of its serializers (3.x), and their own list of properties.
"""

from __future__ import annotations

from typing import Final

from tailrace.config.property import PropertyTables
from tailrace.encoding.registered.apicurio_properties import FAMILIES, HTTP, LOGIN, REGISTRY, STORES, switch

CLASS: Final = "io.apicurio.registry.utils.converter.AvroConverter"

SCHEMAS: Final = (
    switch(
        "connect.meta.data",
        "Whether schemas have Connect's names, versions, docs, parameters and defaults.",
        default=True,
    ),
    switch(
        "enhanced.avro.schema.support",
        "Whether text becomes an enum whose schema has the parameter `io.confluent.connect.avro.Enum`; Debezium's have none.",
    ),
)

TABLES: Final = PropertyTables(
    (
        ("Registry and ids", REGISTRY, FAMILIES),
        ("Schemas and values", SCHEMAS, ()),
        ("Login", LOGIN, ()),
        ("TLS", STORES, ()),
        ("Requests", HTTP, ()),
    )
)
