"""The kinds of Db2's own properties, and hints for property names of other databases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.config.effects import Effects

EFFECTS: Final = Effects(
    changes=frozenset(
        """
        database.dbname schema.include.list schema.exclude.list source.timestamp.mode db2.platform cdc.control.schema
        tailrace.large.objects tailrace.registered.anew snapshot.isolation.mode driver.currentSchema
        """.split()  # noqa: SIM905 - so many are read more easily without quotes
    ),
    tunes=frozenset(
        """
        cdc.change.tables.schema z.stop.lsn.ignore streaming.query.timespan.seconds tailrace.login.without.tls
        driver.clientProgramName driver.commandTimeout driver.databaseName driver.enableSeamlessFailover
        driver.kerberosServerPrincipal driver.loginTimeout driver.securityMechanism driver.sslCertLocation
        driver.sslClientHostnameValidation driver.sslConnection driver.sslKeyStoreLocation driver.sslTrustStoreLocation
        driver.sslTrustStorePassword driver.sslTrustStoreType driver.sslVersion
        """.split()  # noqa: SIM905
    ),
    none_here=frozenset(
        {
            "binary.handling.mode",  # Debezium gives bytes with all its values
            "include.schema.comments",  # Debezium has none
            "event.converting.failure.handling.mode",  # the driver returns typed values
            "schema.history.internal.skip.unparseable.ddl",  # no DDL is parsed
            "schema.history.internal.store.only.captured.tables.ddl",  # other tables are never recorded
            "schema.history.internal.store.only.captured.databases.ddl",
        }
    ),
)

MEANT: Final[Mapping[str, str]] = {
    r"database\.server\.id(?:\.offset)?": "it is MySQL's, and Db2 needs no such number",
    r"database\.(?:names?|db|dbName)|database": "the database is named with database.dbname",
    r"database\.ssl\..+": "it is MySQL's; encryption is set with driver.sslConnection and driver.sslTrustStoreLocation",
    r"database\.encrypt": "it is SQL Server's; set driver.sslConnection",
    r"database\.cdcschema": "the schema of the control tables is named with cdc.control.schema",
    r"database\.include\.schema\.changes": "Debezium's property is include.schema.changes",
    r"gtid\..+|binlog\..+|include\.query|bigint\.unsigned\.handling\.mode|enable\.time\.adjuster": "it is MySQL's",
}
"""Hints for property names that belong to other databases."""
