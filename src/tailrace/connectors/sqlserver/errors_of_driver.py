"""The meaning of mssql-python's errors: retriable, the server's set-up, or the configuration.

The driver has no error numbers. It has the SQLSTATE in words of its own, always in English, and the server's text. The
numbers beside the patterns are SQL Server's (https://learn.microsoft.com/sql/relational-databases/errors-events/).
"""

from __future__ import annotations

import re
from typing import Any, Final

from tailrace.errors import ConfigError, RetriableError, SourceSetupError, TailraceError

_PREFIX: Final = re.compile(r"^(?:\[[^\]]*\]\s*)+")

# the driver's texts for SQLSTATEs 08…, 40…, HYT…, HY008: the connection was lost, or could not be opened
_TRANSIENT: Final = frozenset(
    {
        "Client unable to establish connection",
        "Communication link failure",
        "Connection failure during transaction",
        "Connection not open",
        "Connection timeout expired",
        "Disconnect error",
        "Operation canceled",
        "Serialization failure",
        "Server rejected the connection",
        "Statement completion unknown",
        "Timeout expired",
    }
)
_DEADLOCK: Final = re.compile(r"deadlock", re.IGNORECASE)  # 1205
_LOCK_TIMEOUT: Final = re.compile(r"Lock request time out period exceeded", re.IGNORECASE)  # 1222
_TOO_SLOW: Final = re.compile(r"Query timeout expired", re.IGNORECASE)  # the driver's
_BUSY: Final = re.compile(
    r"shut ?down is in progress|server is (?:not available|paused)|not currently available|in the middle of a restore"
    r"|is (?:being recovered|in transition)|failover|too busy|cannot be opened due to inaccessible"
    r"|unable to access (?:availability )?database|resource pool"
    r"|another connection is already running 'sp_replcmds'",
    re.IGNORECASE,
)  # 6005, 17142, 40613, 927, 922, 952, 983, 976, 701, 22903
_OLD_VERSION: Final = re.compile(
    r"modified by a DDL statement in another concurrent transaction|not recovered when the current transaction was started"
    r"|did not allow snapshot isolation when the current transaction started",
    re.IGNORECASE,
)  # 3961, 3953, 3957: a transaction that begins later sees what this one could not
_LOGIN: Final = re.compile(r"Login failed", re.IGNORECASE)  # 18456
_NO_DATABASE: Final = re.compile(r"Cannot open database \"?([^\" ]*)|Database '([^']*)' does not exist", re.IGNORECASE)
_DENIED: Final = re.compile(r"permission was denied|do(?:es)? not have permission|is not able to access", re.IGNORECASE)
_READ_INTENT: Final = re.compile(r"application intent", re.IGNORECASE)  # 978
_CERTIFICATE: Final = re.compile(r"certificate|SSL|TLS", re.IGNORECASE)
_NO_LIBRARY: Final = re.compile(r"failed to load|libltdl|cannot open shared object", re.IGNORECASE)
_NO_OBJECT: Final = re.compile(r"Invalid object name", re.IGNORECASE)  # 208
_NO_SNAPSHOT: Final = re.compile(
    r"snapshot isolation is not allowed|Snapshot isolation transaction failed", re.IGNORECASE
)
_NO_HOST: Final = re.compile(r"0x2AF9|0x2AFC|No such host|Name or service not known", re.IGNORECASE)


class NoDatabaseError(ConfigError):
    """The server does not open the database (4060): it does not exist, is closed to the user, or is not online."""


class LockTimeoutError(RetriableError):
    """Another session holds a lock for longer than this session waits (1222)."""


class QueryTimeoutError(RetriableError):
    """A statement takes longer than `database.query.timeout.ms` allows."""


class NoObjectError(SourceSetupError):
    """A table or view does not exist (208)."""


class DeniedError(SourceSetupError):
    """The user lacks a permission (229 and similar errors)."""


def of_driver(error: Exception, doing: str) -> TailraceError:
    """Translate an error of the driver; `doing` comes before its text."""
    state, text = str(getattr(error, "driver_error", "") or ""), server_text(error)
    message = f"{doing}: {text}"
    if _NO_LIBRARY.search(text):
        return SourceSetupError(
            f"{message}; mssql-python needs the system library libltdl.so.7: apt-get install libltdl7 (Debian, Ubuntu) or "
            "yum install libtool-ltdl (Red Hat)"
        )
    if _is_transient(state, text):
        return _transient(state, text, message)
    return _lasting(text, message)


def state_of(error: BaseException) -> str:
    """The SQLSTATE of an error in the driver's words, which have nothing of the statement."""
    return str(getattr(error, "driver_error", "") or "") or "the server or the driver refuses it"


def server_text(error: BaseException | None) -> str:
    """The server's text, without the prefixes of the driver's layers."""
    told = getattr(error, "ddbc_error", None) or str(error)
    return _PREFIX.sub("", str(told)).strip()


def _is_transient(state: str, text: str) -> bool:
    return state in _TRANSIENT or any(sign.search(text) for sign in (_DEADLOCK, _LOCK_TIMEOUT, _BUSY, _OLD_VERSION))


def _transient(state: str, text: str, message: str) -> TailraceError:
    # A refused certificate looks like a failed connection, but no retry will help.
    if _CERTIFICATE.search(text):
        return ConfigError(
            f"{message}; name the authority of the server's certificate in driver.trustStore (PEM, PKCS12 or JKS), the name in "
            "it in driver.hostNameInCertificate where it is not the host's; or see driver.encrypt and "
            "driver.trustServerCertificate"
        )
    if _NO_HOST.search(text):
        return RetriableError(f"{message} (there may be no such host: see database.hostname)")
    if _LOCK_TIMEOUT.search(text):
        return LockTimeoutError(message)
    if _TOO_SLOW.search(text):
        return QueryTimeoutError(f"{message}: it takes longer than database.query.timeout.ms allows")
    if _DEADLOCK.search(text) or state == "Serialization failure":
        return RetriableError(f"{message} (this reader was chosen as the victim of a deadlock)")
    return RetriableError(f"{message} ({state.lower()})" if state else message)


def _lasting(text: str, message: str) -> TailraceError:
    if _READ_INTENT.search(text):
        return ConfigError(f"{message}; set database.applicationIntent=ReadOnly to read from this replica")
    if found := _NO_DATABASE.search(text):
        name = found.group(1) or found.group(2) or ""
        return NoDatabaseError(
            f"{message}; is {name or 'it'} the right name in database.names, and may the user open it?"
        )
    if _LOGIN.search(text):
        return SourceSetupError(f"{message}; check database.user and database.password")
    if _DENIED.search(text):
        return DeniedError(
            f"{message}; the connector's user needs SELECT on the captured tables and on the schema cdc, and the role that "
            "an instance was made with (@role_name)"
        )
    if _NO_SNAPSHOT.search(text):
        return SourceSetupError(f"{message}; ALTER DATABASE ... SET ALLOW_SNAPSHOT_ISOLATION ON allows it")
    return NoObjectError(message) if _NO_OBJECT.search(text) else SourceSetupError(message)


def is_of_driver(error: BaseException, module: Any) -> bool:
    """Whether the driver raised the error; it also raises plain RuntimeErrors."""
    return isinstance(error, module.Error | RuntimeError | module.ConnectionStringParseError)
