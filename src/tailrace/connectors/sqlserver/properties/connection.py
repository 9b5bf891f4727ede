"""The connection to SQL Server: address, login, and the driver's properties.

The names are those of Microsoft's JDBC driver, to which Debezium passes them (`driver.*`, formerly `database.*`).
`connectors/sqlserver/connection_string.py` translates them to keywords of Microsoft's ODBC driver.
"""

from __future__ import annotations

import re

from tailrace.config.properties import connection
from tailrace.config.property import Family, Kind, Property, Status

_JDBC = "it belongs to the JDBC driver, and the ODBC driver that is used here has no such option"


def _driver(name: str, doc: str, kind: Kind = Kind.STRING, **more: object) -> Property:
    """A property of the driver, with its old name as an alias."""
    aliases = (f"database.{name}",)
    return Property(name=f"driver.{name}", aliases=aliases, doc=doc, kind=kind, **more)  # type: ignore[arg-type]


DATABASES = Property(
    name="database.names",
    kind=Kind.LIST,
    aliases=("database.dbname",),
    required=True,
    doc="The databases whose changes are read, each enabled for change data capture.",
)

_ENCRYPTION = (
    _driver(
        "encrypt",
        "Whether the connection is encrypted; `strict` encrypts all of it, by TDS 8.",
        Kind.ENUM,
        default="true",
        allowed=("true", "false", "strict"),
        other_spellings={"mandatory": "true", "yes": "true", "optional": "false", "no": "false"},
    ),
    _driver(
        "trustServerCertificate",
        "Whether any certificate of the server will do.",
        Kind.BOOL,
        default=False,
    ),
    _driver("hostNameInCertificate", "Name that the server's certificate must have, instead of the host's."),
    _driver(
        "serverCertificate",
        "PEM file with the very certificate that the server must have; its authority must be trusted all the same.",
    ),
    Property(
        name="driver.trustStore",
        aliases=("database.trustStore", "database.ssl.truststore", "database.truststore"),
        doc="PEM file, or PKCS12 or JKS store, of authorities for the server's certificate, instead of the system's.",
    ),
    Property(
        name="driver.trustStorePassword",
        aliases=("database.trustStorePassword", "database.ssl.truststore.password", "database.truststore.password"),
        kind=Kind.SECRET,
        doc="Password of the trust store, if any.",
    ),
    Property(
        name="driver.trustStoreType",
        aliases=("database.trustStoreType",),
        status=Status.IGNORED,
        reason="what the file holds tells it",
        doc="Kind of the trust store.",
    ),
)

_LOGIN = (
    _driver(
        "authentication",
        "How to log in, if not with name and password of SQL Server's own.",
        Kind.ENUM,
        allowed=(
            "SqlPassword",
            "ActiveDirectoryPassword",
            "ActiveDirectoryIntegrated",
            "ActiveDirectoryServicePrincipal",
            "ActiveDirectoryManagedIdentity",
            "ActiveDirectoryDefault",
        ),
        other_spellings={"ActiveDirectoryMSI": "ActiveDirectoryManagedIdentity"},
        harmless=("NotSpecified",),
        impossible={"ActiveDirectoryInteractive": "nobody is there to answer; use a service principal"},
    ),
    _driver(
        "integratedSecurity",
        "Whether to log in with the Kerberos ticket of the process.",
        Kind.BOOL,
        default=False,
    ),
    _driver("serverSpn", "Kerberos name of the server's service."),
    _driver("msiClientId", "Client id of a managed identity that was assigned by a user."),
)

_NETWORK = (
    _driver(
        "applicationIntent",
        "`ReadOnly` reads a secondary replica of an availability group: snapshot isolation only.",
        Kind.ENUM,
        default="ReadWrite",
        allowed=("ReadWrite", "ReadOnly"),
    ),
    _driver(
        "multiSubnetFailover",
        "Whether all addresses of an availability group's listener are tried at once.",
        Kind.BOOL,
        default=False,
    ),
    _driver(
        "loginTimeout",
        "How long to wait for a connection before giving up.",
        Kind.SECONDS,
        default=30,
        minimum=1,
        maximum=65535,
    ),
    _driver(
        "connectRetryCount",
        "How often the driver opens a lost idle connection again; with a trust store never, tailrace itself does.",
        Kind.INT,
        default=1,
        minimum=0,
        maximum=255,
    ),
    _driver("connectRetryInterval", "Pause before each of them.", Kind.SECONDS, default=10, minimum=1, maximum=60),
    _driver(
        "packetSize",
        "Bytes of a packet of the protocol; without it the driver's choice.",
        Kind.INT,
        minimum=512,
        maximum=32767,
    ),
    _driver(
        "iPAddressPreference",
        "Which addresses of a name are tried first.",
        Kind.ENUM,
        default="IPv4First",
        allowed=("IPv4First", "IPv6First", "UsePlatformDefault"),
    ),
)

PROPERTIES = (
    *connection.server("SQL Server", port=1433),
    Property(
        name="database.instance",
        pattern=re.compile(r"[^\\;{}=,\s]+"),
        pattern_says="the name of an instance, without the host's",
        doc="Named instance, whose port the server's browser service tells; of no effect where `database.port` is given.",
    ),
    Property(name="database.user", doc="Login that reads the catalog, the tables and the change tables."),
    connection.PASSWORD,
    DATABASES,
    *_ENCRYPTION,
    *_LOGIN,
    *_NETWORK,
    _driver(
        "applicationName",
        "Name under which the server lists the connections (`program_name` of `sys.dm_exec_sessions`); without it "
        "mssql-python's own.",
        pattern=re.compile(r"[^\x00]{1,128}"),
        pattern_says="a text of at most 128 characters",
    ),
    Property(
        name="database.sqlserver.agent.status.query",
        doc="Statement whose one value, 1 or 0, says whether SQL Server Agent runs, for logins that may not look "
        "themselves; `[#db]` in it is the database.",
    ),
    *connection.PROPERTIES,
)

FAMILIES = (
    Family(
        name="driver.keyStore and the like",
        pattern=re.compile(r"(driver|database)\.keyStore\w*"),
        status=Status.REFUSED,
        reason="these hold keys of Always Encrypted, whose columns the ODBC driver would deliver encrypted; leave them out",
        doc="Keys of Always Encrypted.",
    ),
    Family(
        name="database.ssl.keystore and the like",
        pattern=re.compile(r"database\.ssl\.keystore(\.\w+)?"),
        status=Status.IGNORED,
        reason="SQL Server logs nobody in by a certificate",
        doc="A client's certificate.",
    ),
    Family(
        name="driver.trustManagerClass and the like",
        pattern=re.compile(r"(driver|database)\.(trustManager\w*|client(Certificate|Key)\w*)"),
        status=Status.REFUSED,
        reason="the ODBC driver calls no Java classes and shows no certificate; leave it out",
        doc="Java classes that judge certificates, and client certificates.",
    ),
    Family(
        name="driver.failoverPartner and the like",
        pattern=re.compile(
            r"(driver|database)\.(failoverPartner|accessToken\w*|columnEncryption\w*|AAD\w+|"
            r"(jaas|authentication|kerberos|keyVault|enclave)\w+|domain|realm|gsscredential|useFmtOnly|fips)"
        ),
        status=Status.REFUSED,
        reason="the ODBC driver has no such option; leave it out",
        doc="What the JDBC driver can and the ODBC driver can't.",
    ),
    Family(
        name="driver.databaseName and the like",
        pattern=re.compile(
            r"(driver|database)\.(databaseName|database|serverName|server|instanceName|portNumber|port)"
        ),
        status=Status.REFUSED,
        reason="set database.hostname, database.port, database.instance and database.names",
        doc="Where the server is, in the driver's words.",
    ),
    *connection.of_the_driver("Further properties of the JDBC driver.", _JDBC),
)
