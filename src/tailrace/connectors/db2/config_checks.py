"""Checks of combinations in the configuration of a Db2 connector."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Final

from tailrace.config.entries import Entry, is_given
from tailrace.config.filters import NameFilter
from tailrace.config.problems import Problems
from tailrace.config.secret import Secret
from tailrace.config.unknown_values import unless_unknown
from tailrace.config.values import Value
from tailrace.connectors.db2.properties.events import PLACEHOLDER

_TLS: Final = "driver.sslConnection"
_TRUST: Final = ("driver.sslTrustStoreLocation", "driver.sslTrustStorePassword", "driver.sslCertLocation")
_TIMESPAN: Final = "streaming.query.timespan.seconds"


def check_db2(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    """Add problems: properties that contradict each other, or need another one."""
    _check_tls(values, problems)
    _check_password(values, problems)
    _check_trust(values, entries, problems)
    _check_database_lists(values, problems)
    _check_timespan(values, problems)
    _check_placeholder(values, entries, problems)


@unless_unknown
def _check_tls(values: Mapping[str, Value], problems: Problems) -> None:
    """Refuse to send the password over a network where everybody could read it, unless that is asked for."""
    host = values["database.hostname"]
    if host is None or values[_TLS] or values["tailrace.login.without.tls"] or is_loopback(str(host)):
        return
    problems.add(
        f"{_TLS} is false: the password would go to {host} without TLS, for everybody to read; set {_TLS}=true (and the port "
        "on which Db2 takes TLS), or tailrace.login.without.tls=true if the network may see it"
    )


@unless_unknown
def _check_password(values: Mapping[str, Value], problems: Problems) -> None:
    password = values["database.password"]
    if isinstance(password, Secret) and "\0" in password.reveal():
        problems.add("database.password has the character NUL, at which the driver ends it: is it read from the right place?")


def is_loopback(host: str) -> bool:
    """Whether a host is the machine itself."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@unless_unknown
def _check_trust(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    for name in _TRUST if not values[_TLS] else ():
        if is_given(entries, name):
            problems.warn(f"{name} has no effect: {_TLS} is false")


@unless_unknown
def _check_database_lists(values: Mapping[str, Value], problems: Problems) -> None:
    database = values["database.dbname"]
    include, exclude = (_texts(values[f"database.{which}.list"]) for which in ("include", "exclude"))
    if isinstance(database, str) and not NameFilter(include, exclude).matches(database):
        name = "database.include.list" if include else "database.exclude.list"
        problems.add(f"{name} leaves out {database}, the only database that is read (database.dbname); leave the list out")


@unless_unknown
def _check_timespan(values: Mapping[str, Value], problems: Problems) -> None:
    if values[_TIMESPAN] == 1:
        problems.add(f"{_TIMESPAN} is 1, which Debezium refuses; set a higher number, such as 120, or 0 for no limit")


@unless_unknown
def _check_placeholder(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    name = "unavailable.value.placeholder"
    if is_given(entries, name) and values["tailrace.large.objects"] != PLACEHOLDER:
        problems.warn(f"{name} has no effect, as in Debezium's Db2 connector: set tailrace.large.objects={PLACEHOLDER}")


def _texts(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
