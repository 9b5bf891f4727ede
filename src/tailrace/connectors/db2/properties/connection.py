"""The connection to Db2: address, login, and the driver's properties.

The names are those of IBM's JDBC driver (jcc), to which Debezium passes them (`driver.*`, formerly `database.*`).
adbc-driver-db2, which reads here, has options of its own for what matters.

Sources: "Properties for the IBM Data Server Driver for JDBC and SQLJ" in IBM's documentation of Db2 11.5;
https://github.com/gizmodata/adbc-driver-db2
"""

from __future__ import annotations

import re

from tailrace.config.properties import connection
from tailrace.config.property import Family, Kind, Property, Status

_JDBC = "it belongs to the JDBC driver, and the driver that is used here has no such option"
ENCRYPTED, CLEAR_TEXT = "9", "3"
"""Values of `driver.securityMechanism`, which are DRDA's."""
_BY_TLS = "it encrypts with DES; set driver.sslConnection=true, which encrypts all of the connection"
_BY_NAME = "the driver can't do that; log in with database.user and database.password"


def _driver(name: str, doc: str, kind: Kind = Kind.STRING, also: tuple[str, ...] = (), **more: object) -> Property:
    """A property of the driver, with its old name, and with `also` that mean the same, as aliases."""
    aliases = (f"database.{name}", *(f"{prefix}.{other}" for other in also for prefix in ("driver", "database")))
    return Property(name=f"driver.{name}", aliases=aliases, doc=doc, kind=kind, **more)  # type: ignore[arg-type]


DATABASE = Property(
    name="database.dbname",
    required=True,
    pattern=re.compile(r"[^\s/?#&\x00-\x1f\x7f]{1,128}"),
    pattern_says="the name or alias of one database",
    doc="The database whose changes are read; on z/OS the location name of the subsystem.",
)

_ENCRYPTION = (
    _driver("sslConnection", "Whether the connection is encrypted by TLS.", Kind.BOOL, default=False),
    _driver(
        "sslTrustStoreLocation",
        "PEM file, or PKCS12 or JKS store, of authorities for the server's certificate, instead of the system's.",
    ),
    _driver("sslTrustStorePassword", "Password of the trust store, if any.", Kind.SECRET),
    _driver(
        "sslTrustStoreType",
        "Kind of the trust store.",
        status=Status.IGNORED,
        reason="what the file holds tells it",
    ),
    _driver("sslCertLocation", "PEM file with the server's certificate, or its authority's; it stands for a trust store."),
    _driver(
        "sslVersion",
        "Version of TLS.",
        status=Status.IGNORED,
        reason="the newest is taken that the server has, and none below 1.2",
    ),
    _driver(
        "sslClientHostnameValidation",
        "Whether the server's certificate must be for its host.",
        status=Status.IGNORED,
        reason="it always must",
    ),
)

_LOGIN = (
    _driver(
        "securityMechanism",
        "How the password is sent: `3` as it is, `9` encrypted. Without it `9` if the server has it, else `3`. Only TLS keeps "
        "it from somebody who listens.",
        Kind.ENUM,
        allowed=(CLEAR_TEXT, ENCRYPTED),
        other_spellings={"7": ENCRYPTED},
        impossible={
            "4": _BY_NAME,
            "11": f"that is Kerberos: {_BY_NAME}",
            "12": _BY_TLS,
            "13": _BY_TLS,
            "15": f"that is a plug-in: {_BY_NAME}",
            "16": _BY_NAME,
            "18": f"that is a certificate: {_BY_NAME}",
        },
    ),
    Property(
        name="tailrace.login.without.tls",
        kind=Kind.BOOL,
        default=False,
        doc="Whether the password may be sent over a network without TLS (`driver.sslConnection`). To the machine itself "
        "(`localhost`) it may always be.",
    ),
)

_SESSION = (
    _driver(
        "loginTimeout",
        "How long to wait for a connection before giving up; 0 is 30.",
        Kind.SECONDS,
        also=("connectionTimeout",),
        default=30,
        minimum=0,
        maximum=32767,
    ),
    _driver(
        "clientProgramName",
        "Name under which the server lists the connections; without it `tailrace`.",
        also=("clientApplicationInformation",),
        pattern=re.compile(r"[^\x00]{1,255}"),
        pattern_says="a text of at most 255 characters",
    ),
    _driver(
        "currentSchema",
        "Schema of tables that statements of one's own name without one (`heartbeat.action.query`, "
        "`snapshot.select.statement.overrides`).",
        pattern=re.compile(r"[^\x00]{1,128}"),
        pattern_says="a text of at most 128 characters",
    ),
)

PROPERTIES = (
    *connection.server("Db2", port=50000),
    Property(
        name="database.user",
        required=True,
        pattern=re.compile(r"[^\x00]+"),
        pattern_says="a name without the character NUL",
        doc="Account that reads the catalog, the control tables, the tables and the change tables.",
    ),
    connection.PASSWORD,
    DATABASE,
    *_ENCRYPTION,
    *_LOGIN,
    *_SESSION,
    *connection.PROPERTIES,
)

FAMILIES = (
    Family(
        name="driver.sslKeyStoreLocation and the like",
        pattern=re.compile(r"(driver|database)\.(sslKeyStore\w*|sslClientCert\w*)"),
        status=Status.REFUSED,
        reason="the driver shows no certificate of its own; log in with database.user and database.password",
        doc="A client's certificate.",
    ),
    Family(
        name="driver.kerberosServerPrincipal and the like",
        pattern=re.compile(
            r"(driver|database)\.(kerberos\w+|gss\w+|plugin|pluginName|accessToken\w*|apiKey|currentSQLID|sysSchema|"
            r"connectNode|dbPath)"
        ),
        status=Status.REFUSED,
        reason="the driver has no such option; leave it out",
        doc="What the JDBC driver can and the driver that is used here can't.",
    ),
    Family(
        name="driver.databaseName and the like",
        pattern=re.compile(r"(driver|database)\.(databaseName|serverName|portNumber|driverType|url|jdbcUrl)"),
        status=Status.REFUSED,
        reason="set database.hostname, database.port and database.dbname",
        doc="Where the server is, in the driver's words.",
    ),
    Family(
        name="driver.commandTimeout and the like",
        pattern=re.compile(
            r"(driver|database)\.(commandTimeout|blockingReadConnectionTimeout|currentLockTimeout|"
            r"queryTimeoutInterruptProcessingMode|timerLevelForQueryTimeOut)"
        ),
        status=Status.IGNORED,
        reason="database.query.timeout.ms, driver.loginTimeout and snapshot.lock.timeout.ms say how long is waited",
        doc="How long the JDBC driver waits.",
    ),
    Family(
        name="driver.enableSeamlessFailover and the like",
        pattern=re.compile(r"(driver|database)\.(enableSeamlessFailover|enableSysplexWLB|clientReroute\w+|\w*AlternateServer\w*)"),
        status=Status.IGNORED,
        reason="the driver knows one server; name an address in database.hostname that is moved to the one that serves",
        doc="Servers that take over.",
    ),
    *connection.of_the_driver("Further properties of the JDBC driver.", _JDBC),
)
