"""Drivers in processes of their own: wrong bytes can crash IBM's library, and a Java machine is for one set of jars.

A child reads jobs from its input and writes results, a line of JSON each.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from tests.differential.jars import UnavailableError, java_home, libjvm
from tests.standins.driver_child import DriverChild

from tailrace_standins.servers.java_jars import Unavailable, fetched_jars

MISSING: list[str] = []
HERE = Path(__file__).parent
PATIENCE_SECONDS = 40
DEBEZIUMS, TODAYS = "11.5.0.0", "12.1.5.0"


class DriverError(Exception):
    """What a driver raised: its message, and SQLCODE and SQLSTATE where it tells them."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told["error"])
        self.code = told.get("code")
        self.state = told.get("state")


class Child(DriverChild):
    """A process with a driver of Db2."""

    def __init__(self, script: str, *arguments: str) -> None:
        super().__init__(script, [str(HERE / script), *arguments], DriverError, PATIENCE_SECONDS)


def adbc() -> Child:
    """adbc-driver-db2; the test is skipped, loudly, where it is not installed."""
    return _python("adbc_driver_db2", "adbc-driver-db2", "adbc_child.py")


def ibm_db() -> Child:
    """ibm_db, over IBM's CLI driver."""
    return _python("ibm_db", "ibm_db", "ibm_db_child.py")


def jcc(version: str) -> Child:
    """IBM's JDBC driver of a version, from Maven's central repository."""
    try:
        jars = fetched_jars(f"jcc-{version}", (f"com.ibm.db2:jcc:{version}",))
        jar = next(path for path in jars if "jcc" in path.name)
        return Child("jcc_child.py", str(libjvm(java_home())), str(jar))
    except (Unavailable, UnavailableError) as reason:
        _skip(f"no jcc {version}: {reason}")


def _python(module: str, package: str, script: str) -> Child:
    if importlib.util.find_spec(module) is None:
        _skip(f"{package} is not installed")
    return Child(script)


def _skip(reason: str) -> Any:
    MISSING.append(reason)
    pytest.skip(reason)
