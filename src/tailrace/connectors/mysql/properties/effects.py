"""What MySQL's own properties are about, and what was meant by names of other databases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.config.effects import Effects

EFFECTS: Final = Effects(
    changes=frozenset(
        """
        gtid.source.includes gtid.source.excludes gtid.source.filter.dml.events gtid.ignore.on.recovery
        bigint.unsigned.handling.mode enable.time.adjuster include.query inconsistent.schema.handling.mode
        """.split()  # noqa: SIM905 - so many are read more easily without quotes
    ),
    tunes=frozenset(
        """
        binlog.buffer.size binlog.net.read.timeout binlog.net.write.timeout connect.keep.alive
        connect.keep.alive.interval.ms connect.timeout.ms database.connectionTimeZone database.initial.statements
        database.jdbc.driver database.protocol database.server.id database.server.id.offset database.ssl.keystore.password
        database.ssl.mode database.ssl.truststore database.ssl.truststore.password ddl.parser.type driver.allowMultiQueries
        driver.allowPublicKeyRetrieval driver.serverRSAPublicKeyFile driver.sslMode gtid.new.channel.position
        min.row.count.to.stream.results read.only use.nongraceful.disconnect
        """.split()  # noqa: SIM905
    ),
)

MEANT: Final[Mapping[str, str]] = {
    r"database\.(?:names|dbname|name)|database": "the databases are chosen with database.include.list",
    r"databases?\.include": "it leaves no database out, in Debezium neither; the list is database.include.list",
    r"schema\.(?:include|exclude)\.list|schema\.(?:whitelist|blacklist)": "MySQL has no schemas within a database",
    r"snapshot\.minimal\.locks": "Debezium has dropped it; snapshot.locking.mode says which locks are taken",
    r"database\.(?:instance|encrypt|trustServerCertificate)": "it is SQL Server's",
}
"""What was meant by names that make sense with other databases."""
