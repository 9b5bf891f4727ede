"""Checks of combinations in the configuration of a SQL Server connector."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.entries import Entry, is_given
from tailrace.config.problems import Problems
from tailrace.config.time_zones import time_zone
from tailrace.config.unknown_values import unless_unknown
from tailrace.config.values import Value
from tailrace.schema.event_shapes import SHAPE_1_4

_TIME_ZONE = "database.server.timezone"
_WITHOUT_USER = frozenset({"ActiveDirectoryManagedIdentity", "ActiveDirectoryDefault", "ActiveDirectoryIntegrated"})


def check_sqlserver(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    """Add problems: properties that contradict each other, or need another one."""
    _check_names(values, problems)
    _check_old_name(values, entries, problems)
    _check_login(values, entries, problems)
    _check_replica(values, entries, problems)
    _check_time_zone(values, problems)
    if is_given(entries, "database.instance") and is_given(entries, "database.port"):
        problems.warn("database.instance has no effect: database.port says where the server listens")


@unless_unknown
def _check_names(values: Mapping[str, Value], problems: Problems) -> None:
    names = values["database.names"]
    lowered = [name.lower() for name in names] if isinstance(names, tuple) else []
    for name in dict.fromkeys(lowered):
        if lowered.count(name) > 1:
            problems.add(f"database.names has {name} more than once; keep one")
    if len(lowered) > 1 and values["tailrace.event.shape"] == SHAPE_1_4:
        problems.add(
            f"database.names is {','.join(lowered)!r} and tailrace.event.shape is {SHAPE_1_4!r}: topics do not have the "
            "database's name in that shape; keep one database, or another shape"
        )


@unless_unknown
def _check_old_name(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    entry = entries.get("database.names")
    if entry is not None and entry.given_name != entry.name and values["tailrace.event.shape"] != SHAPE_1_4:
        problems.warn(
            f"{entry.shown_name}: topics have the database's name in them since Debezium 2; for those of Debezium 1 set "
            f"tailrace.event.shape={SHAPE_1_4}"
        )


@unless_unknown
def _check_login(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    if values["driver.integratedSecurity"] is True:
        for name in ("database.user", "database.password"):
            if is_given(entries, name):
                problems.warn(f"{name} has no effect: driver.integratedSecurity takes the process's own login")
    elif values["driver.authentication"] not in _WITHOUT_USER and not is_given(entries, "database.user"):
        problems.add(
            "database.user is missing (login that reads the catalog and the change tables); without one, set "
            "driver.integratedSecurity or driver.authentication"
        )


@unless_unknown
def _check_time_zone(values: Mapping[str, Value], problems: Problems) -> None:
    name = values[_TIME_ZONE]
    try:
        time_zone(str(name or "UTC"))
    except ValueError as error:
        problems.add(f"{_TIME_ZONE} is {name!r}: {error}")


@unless_unknown
def _check_replica(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    isolation = values["snapshot.isolation.mode"]
    if values["driver.applicationIntent"] != "ReadOnly":
        return
    if is_given(entries, "snapshot.isolation.mode") and isolation != "snapshot":
        problems.warn(
            f"snapshot.isolation.mode is {isolation!r} and has no effect: a replica is read with snapshot isolation only "
            "(driver.applicationIntent is ReadOnly)"
        )
