"""The meaning of the ADBC driver's errors: retriable, the server's set-up, or the configuration.

Errors of statements have SQLCODE (`vendor_code`) and SQLSTATE; those of the connection are words of the driver alone. A
password that is refused is not told by the driver: the server ends the connection, and the driver says EOF while it waits for
that answer.

Sources: IBM Db2 documentation, "SQL messages" (by number); for the driver's words tests/connectors/db2/test_db2_connection.py
"""

from __future__ import annotations

import re
from typing import Any, Final

import pyarrow as pa

from tailrace.errors import ConfigError, RetriableError, SourceSetupError, TailraceError

_LOCKED: Final = frozenset({-911, -913})  # deadlock or lock timeout, with and without a rollback
_TRANSIENT: Final = frozenset({
    -904,  # unavailable resource
    -952,  # interrupted
    -1015, -1117, -1119,  # the database must be restarted, is being restored
    -1224, -1229, -1476,  # the database manager ended the request
    -1390, -1391, -1776,  # a standby, an instance that is not ready
    -20157,  # the database is quiesced
    -30080, -30081, -30108,  # communication errors; the connection was re-routed
})  # fmt: skip
_MEANINGS: Final = {
    -104: "a syntax error",
    -199: "a syntax error",
    -204: "there is no such table",
    -206: "there is no such column",
    -407: "a null where there can't be one",
    -551: "access denied",
    -803: "a duplicate key",
    -911: "a lock or a deadlock",
}
_DENIED: Final = frozenset({-551, -552, -567, -5193})
_NO_DATABASE: Final = re.compile(r"RDBNFNRM|SQLCODE=-(?:1013|30061)\b")
_LOGIN: Final = re.compile(r"SECCHKRM|RDBATHRM|SQLCODE=-(?:30082|1403|1060)\b")
_TLS: Final = re.compile(r"TLS|x509|certificate", re.IGNORECASE)
_OTHER_HOST: Final = re.compile(r"certificate is valid for|SAN|cannot validate certificate for")
_OUT_OF_DATE: Final = re.compile("expired|not yet valid")
_CUT: Final = r"connection re|broken pipe|i/o timeout|closed network"
_CONNECTION: Final = re.compile(rf"\bdial\b|\bEOF\b|no such host|{_CUT}", re.IGNORECASE)
_CUT_OFF: Final = re.compile(_CUT, re.IGNORECASE)
_NO_DRDA: Final = re.compile(rf"\bddm: (?!.*(?:\bEOF\b|{_CUT}))", re.IGNORECASE)
_ENDED: Final = re.compile(r"\bEOF\b|connection reset", re.IGNORECASE)
_CODE: Final = re.compile(r"\bSQLCODE=(-?\d+)\b")
_ROLLED_BACK: Final = re.compile(r"\bABNUOWRM\b")  # all that the driver says of -911 to a statement without a result
_PREFIX: Final = re.compile(r"^(?:[A-Z_]+: )?(?:\[Db2\] )?")
_SUFFIX: Final = re.compile(r"\. Vendor code: -?\d+\. SQLSTATE: \w+$")


class DeniedError(SourceSetupError):
    """The user lacks a privilege (-551 and similar errors)."""


class LockTimeoutError(RetriableError):
    """Another session's lock was not given up in time, or the session was the victim of a deadlock (-911, -913)."""


class QueryTimeoutError(RetriableError):
    """A statement took longer than `database.query.timeout.ms`."""


class NoTableError(SourceSetupError):
    """An object does not exist (-204), or a column of it (-206)."""


def of_driver(error: Exception, doing: str, *, by_tls: bool | None = None) -> TailraceError:
    """Translate an error of the driver; `doing` comes before its text. `by_tls`: of a login; None: it is none."""
    code = _code_of(error)
    text = _SUFFIX.sub("", _PREFIX.sub("", str(error)))
    message = f"{doing}: {text}"
    if (isinstance(code, int) and code in _LOCKED) or _ROLLED_BACK.search(text):
        return LockTimeoutError(message)
    if isinstance(code, int) and code in _TRANSIENT:
        return RetriableError(message)
    if isinstance(code, int) and code in _DENIED:
        return DeniedError(f"{message}. Grant the user what it needs")
    if code in {-204, -206}:
        return NoTableError(message)
    if _NO_DATABASE.search(text):
        return ConfigError(f"{message}. Is database.dbname right?")
    if _LOGIN.search(text):
        return SourceSetupError(
            f"{message}. If the server ended the connection here, it refused the user or the password (SQL30082N in its "
            "diagnostic log)"
        )
    if _TLS.search(text) and not _CUT_OFF.search(text):
        return ConfigError(f"{message}. {_about_certificate(text)}")
    if by_tls is not None and _NO_DRDA.search(text):
        return SourceSetupError(
            f"{message}. That port does not speak Db2's protocol: is database.port right? Or does it take TLS alone "
            "(driver.sslConnection=true)?"
        )
    if _CONNECTION.search(text):
        if by_tls is False and _ENDED.search(text):
            message += ". If that port takes TLS alone (SSL_SVCENAME), set driver.sslConnection=true"
        return RetriableError(message)
    return SourceSetupError(message)


def code_in_words(error: Exception) -> str:
    """The SQLCODE of an error and a short meaning, without a word of the statement."""
    code = _code_of(error)
    if not code:
        return "the server or the driver refuses it"
    return f"{_MEANINGS[code]} (SQLCODE {code})" if code in _MEANINGS else f"SQLCODE {code}"


def _about_certificate(text: str) -> str:
    """What to look at after an error of TLS."""
    if _OTHER_HOST.search(text):
        return "The server's certificate must be for the host that database.hostname names"
    if _OUT_OF_DATE.search(text):
        return "The server needs a certificate that is valid now"
    return "Is that a port with TLS (SSL_SVCENAME), and does the trust store have the authority of its certificate?"


def is_of_driver(error: Exception, module: Any) -> bool:
    """Whether an error is the driver's; in the middle of a result it comes through Arrow, as one of Arrow's or an `OSError`."""
    return isinstance(error, (module.Error, pa.ArrowException, OSError))


def _code_of(error: Exception) -> int | None:
    """The SQLCODE; of an error that came through Arrow only its words tell it."""
    code = getattr(error, "vendor_code", None)
    found = _CODE.search(str(error)) if not isinstance(code, int) or not code else None
    return int(found[1]) if found else code
