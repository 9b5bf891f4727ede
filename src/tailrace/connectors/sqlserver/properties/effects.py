"""The kinds of SQL Server's own properties, and hints for property names of other databases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.config.effects import Effects

EFFECTS: Final = Effects(
    changes=frozenset(
        """
        database.names schema.include.list schema.exclude.list source.timestamp.mode database.server.timezone
        data.query.mode internal.capture.instance.include.list internal.change.column.filter.override
        snapshot.isolation.mode
        """.split()  # noqa: SIM905 - so many are read more easily without quotes
    ),
    tunes=frozenset(
        """
        database.instance database.sqlserver.agent.status.query driver.applicationIntent driver.applicationName
        driver.authentication driver.connectRetryCount driver.connectRetryInterval driver.databaseName driver.encrypt
        driver.failoverPartner driver.hostNameInCertificate driver.iPAddressPreference driver.integratedSecurity
        driver.keyStore driver.loginTimeout driver.msiClientId driver.multiSubnetFailover driver.packetSize
        driver.serverCertificate driver.serverSpn driver.trustManagerClass driver.trustServerCertificate driver.trustStore
        driver.trustStorePassword driver.trustStoreType incremental.snapshot.option.recompile max.iteration.transactions
        streaming.fetch.size
        """.split()  # noqa: SIM905
    ),
    none_here=frozenset(
        {
            "include.schema.comments",  # the JDBC driver returns no comments, so Debezium has none either
            "event.converting.failure.handling.mode",  # the driver returns typed values
            "schema.history.internal.skip.unparseable.ddl",  # no DDL is parsed
            "schema.history.internal.store.only.captured.tables.ddl",  # other tables are never recorded
            "schema.history.internal.store.only.captured.databases.ddl",
        }
    ),
)

MEANT: Final[Mapping[str, str]] = {
    r"database\.server\.id(?:\.offset)?": "it is MySQL's, and SQL Server needs no such number",
    r"database\.(?:name|db|dbName)|database": "the databases are named with database.names",
    r"database\.ssl\..+": "it is MySQL's; encryption is set with driver.encrypt and driver.trustServerCertificate",
    r"gtid\..+|binlog\..+|include\.query|bigint\.unsigned\.handling\.mode|enable\.time\.adjuster": "it is MySQL's",
}
"""Hints for property names that belong to other databases."""
