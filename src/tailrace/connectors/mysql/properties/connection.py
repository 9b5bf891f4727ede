"""The connection to MySQL: who and where, TLS, keep-alive."""

from __future__ import annotations

import re

from tailrace.config.properties import connection
from tailrace.config.property import Family, Kind, Property, Status

_JDBC = "it belongs to the JDBC driver, which tailrace does not use"

PROPERTIES = (
    *connection.server("MySQL", port=3306),
    Property(name="database.user", required=True, doc="MySQL account that reads the catalog and the binlog."),
    connection.PASSWORD,
    Property(
        name="database.server.id",
        kind=Kind.INT,
        required=True,
        minimum=1,
        maximum=2**32 - 1,
        doc="Replica id under which tailrace registers; no other replica of the server may use it.",
    ),
    Property(
        name="database.server.id.offset",
        kind=Kind.INT,
        default=10000,
        minimum=1,
        doc="Distance to the server id of the second binlog connection that an incremental snapshot needs; with several "
        "tasks more than their number.",
    ),
    Property(
        name="database.ssl.mode",
        kind=Kind.ENUM,
        default="preferred",
        allowed=("disabled", "preferred", "required", "verify_ca", "verify_identity"),
        doc="Whether the connection is encrypted and how far the server's certificate is checked.",
    ),
    Property(
        name="database.ssl.keystore",
        doc="PEM file, or PKCS12 or JKS store, with the client's certificate and key.",
    ),
    Property(
        name="database.ssl.keystore.password",
        kind=Kind.SECRET,
        doc="Password of the private key in the key store.",
    ),
    Property(
        name="database.ssl.truststore",
        doc="PEM file, or PKCS12 or JKS store, of authorities that vouch for the server's certificate.",
    ),
    Property(
        name="database.ssl.truststore.password", kind=Kind.SECRET, doc="Password of the trust store, if any."
    ),
    Property(
        name="driver.allowPublicKeyRetrieval",
        kind=Kind.BOOL,
        default=False,
        aliases=("database.allowPublicKeyRetrieval",),
        doc="Whether the server may say, without TLS, with which key the password is encrypted: whoever stands between can "
        "give a key of his own, and read it.",
    ),
    Property(
        name="driver.serverRSAPublicKeyFile",
        aliases=("database.serverRSAPublicKeyFile",),
        doc="PEM file with the server's public key (its `public_key.pem`), with which the password is encrypted without TLS.",
    ),
    Property(
        name="driver.allowMultiQueries",
        kind=Kind.BOOL,
        default=False,
        aliases=("database.allowMultiQueries",),
        doc="Whether `heartbeat.action.query` may be several statements, with semicolons between; no other text may.",
    ),
    Property(
        name="database.initial.statements",
        doc="SQL statements, cut at semicolons (`;;` is a literal one), for each catalog connection.",
    ),
    Property(
        name="connect.timeout.ms",
        kind=Kind.MS,
        default=30_000,
        minimum=1,
        doc="How long to wait for a connection before giving up.",
    ),
    Property(
        name="connect.keep.alive",
        kind=Kind.BOOL,
        default=True,
        doc="Whether a silent binlog connection is probed and opened again when it is dead.",
    ),
    Property(
        name="connect.keep.alive.interval.ms",
        kind=Kind.MS,
        default=60_000,
        minimum=1,
        doc="How often a silent binlog connection is probed, by heartbeats that the server is asked for.",
    ),
    Property(
        name="use.nongraceful.disconnect",
        kind=Kind.BOOL,
        default=False,
        status=Status.IGNORED,
        reason="tailrace always closes the binlog socket without waiting for the server",
        doc="Whether the binlog socket is closed without lingering.",
    ),
    Property(
        name="binlog.net.write.timeout",
        kind=Kind.SECONDS,
        default=0,
        minimum=0,
        doc="`net_write_timeout` of the binlog connection in seconds; 0 keeps the server's.",
    ),
    Property(
        name="binlog.net.read.timeout",
        kind=Kind.SECONDS,
        default=0,
        minimum=0,
        doc="`net_read_timeout` of the binlog connection in seconds; 0 keeps the server's.",
    ),
    Property(
        name="database.jdbc.driver",
        kind=Kind.CLASS,
        default="com.mysql.cj.jdbc.Driver",
        status=Status.IGNORED,
        reason=_JDBC,
        doc="Class of the JDBC driver.",
    ),
    Property(
        name="database.protocol",
        default="jdbc:mysql",
        status=Status.IGNORED,
        reason=_JDBC,
        doc="Protocol part of the JDBC address.",
    ),
    Property(
        name="database.connectionTimeZone",
        aliases=("database.serverTimezone", "database.server.timezone"),
        status=Status.IGNORED,
        reason="the binlog holds TIMESTAMP values in UTC, so no session time zone is involved",
        doc="Time zone that the JDBC driver assumes for the session.",
    ),
    *connection.PROPERTIES,
)

FAMILIES = (
    Family(
        name="driver.sslMode and the like",
        pattern=re.compile(
            r"(database|driver)\.(useSSL|requireSSL|verifyServerCertificate|sslMode|\w+KeyStore\w+)"
        ),
        status=Status.REFUSED,
        reason="encryption is set with database.ssl.mode and its companions",
        doc="The JDBC driver's own properties for encryption.",
    ),
    *connection.of_the_driver("Properties handed to the JDBC driver.", _JDBC),
)
