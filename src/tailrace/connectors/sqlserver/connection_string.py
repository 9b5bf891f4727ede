"""The connection string of Microsoft's ODBC driver, from the settings.

Debezium passes properties that begin with `driver.` or `database.` to Microsoft's JDBC driver, so users write the names
of that driver; the configuration has checked them. Here each becomes the equivalent ODBC keyword.

Sources: https://learn.microsoft.com/sql/connect/jdbc/setting-the-connection-properties,
https://learn.microsoft.com/sql/connect/odbc/dsn-connection-string-attribute
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tailrace.connectors.sqlserver.settings import SqlServerSettings

_ENCRYPT: Final = {"true": "yes", "false": "no", "strict": "strict"}
_AUTHENTICATION: Final = {"ActiveDirectoryManagedIdentity": "ActiveDirectoryMSI"}


def connection_string(settings: SqlServerSettings, database: str | None = None) -> str:
    """The connection string for mssql-python; it contains the password."""
    keywords = {"Server": _server(settings)}
    if database is not None:
        keywords["Database"] = database
    keywords |= _login(settings)
    keywords |= {name: value for name, value in _options(settings) if value is not None}
    return ";".join(f"{name}={quoted_value(value)}" for name, value in keywords.items())


def _server(settings: SqlServerSettings) -> str:
    """The server's address. With a port the instance's name is not needed: the browser service only returns its port."""
    if settings.instance:
        return f"{settings.database_hostname}\\{settings.instance}"
    return f"{settings.database_hostname},{settings.database_port}"


def _login(settings: SqlServerSettings) -> dict[str, str]:
    """The login; a managed identity of Entra that is assigned by the user is named as the user."""
    if settings.driver_integratedsecurity:
        return {"Trusted_Connection": "yes"}
    login = {}
    user = settings.database_user or settings.driver_msiclientid
    if user:
        login["UID"] = user
    if settings.database_password:
        login["PWD"] = settings.database_password.reveal()
    return login


def _options(settings: SqlServerSettings) -> Iterator[tuple[str, str | None]]:
    authentication = settings.driver_authentication
    yield "Encrypt", _ENCRYPT[settings.driver_encrypt]
    yield "TrustServerCertificate", _switch(settings.driver_trustservercertificate)
    yield "HostnameInCertificate", settings.driver_hostnameincertificate
    yield "ServerCertificate", settings.driver_servercertificate
    yield "Authentication", _AUTHENTICATION.get(authentication, authentication) if authentication else None
    yield "ServerSPN", settings.driver_serverspn
    yield "ApplicationIntent", settings.driver_applicationintent
    yield "MultiSubnetFailover", _switch(settings.driver_multisubnetfailover)
    # A reconnect by the driver would not trust the trust store (`trusting.py`).
    yield "ConnectRetryCount", "0" if settings.driver_truststore else str(settings.driver_connectretrycount)
    yield "ConnectRetryInterval", str(settings.driver_connectretryinterval)
    yield "PacketSize", None if settings.driver_packetsize is None else str(settings.driver_packetsize)
    yield "IpAddressPreference", settings.driver_ipaddresspreference


def _switch(is_on: bool) -> str:
    return "yes" if is_on else "no"


def quoted_value(value: str) -> str:
    """Quote a value: in braces it may contain anything, with closing braces doubled."""
    return "{" + value.replace("}", "}}") + "}" if set(value) & set("{};= ") else value
