"""The connection to the database server, as far as it is the same for all: address, login, retries."""

from __future__ import annotations

import re

from tailrace.config.property import Family, Kind, Property, Status, prefixed

GROUP = "Connection"
_HOST = re.compile(r"[A-Za-z0-9_.\-:%]+")


def server(database: str, port: int) -> tuple[Property, ...]:
    """Address and login of the server; `database` is the product's name in the texts, `port` the default port."""
    return (
        Property(
            name="database.hostname",
            doc=f"Name or address of the {database} server.",
            required=True,
            pattern=_HOST,
            pattern_says="letters, digits, dots, hyphens and underscores, or an IPv6 address",
        ),
        Property(
            name="database.port",
            kind=Kind.INT,
            default=port,
            minimum=1,
            maximum=65535,
            doc=f"TCP port of the {database} server.",
        ),
    )


PASSWORD = Property(
    name="database.password",
    kind=Kind.SECRET,
    doc="Password of that account; best given as `${env:NAME}` or `${file:path:key}`.",
)

PROPERTIES = (
    Property(
        name="database.query.timeout.ms",
        kind=Kind.MS,
        default=600_000,
        minimum=0,
        doc="How long a catalog query may take; 0 is without limit.",
    ),
    Property(
        name="connection.validation.timeout.ms",
        kind=Kind.MS,
        default=60_000,
        minimum=1,
        status=Status.IGNORED,
        reason="there is no validation call",
        doc="How long the check of the connection may take when a connector is validated.",
    ),
    Property(
        name="errors.max.retries",
        kind=Kind.INT,
        default=-1,
        minimum=-1,
        doc="How often a retriable error is followed by another attempt: -1 without limit, 0 never.",
    ),
    Property(
        name="retriable.restart.connector.wait.ms",
        kind=Kind.MS,
        default=10_000,
        minimum=1,
        doc="Pause before the attempt after a retriable error.",
    ),
)


def of_the_driver(doc: str, reason: str) -> tuple[Family, ...]:
    """Properties for the JDBC driver, under both prefixes that Debezium has used for them."""
    return (
        prefixed("driver.", doc, Status.IGNORED, reason),
        Family(
            name="database.<camelCase>",
            pattern=re.compile(r"database\.[a-z]+[A-Z]\w*"),
            status=Status.IGNORED,
            reason=reason,
            doc="The old way to hand properties to the JDBC driver.",
        ),
    )
