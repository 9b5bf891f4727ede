"""The drivers, where they are to be had: tests of one that is not are skipped, loudly."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tailrace_standins.servers.sqlserver_database import Unavailable, driver

MISSING: list[str] = []


def mssql_python() -> Any:
    """mssql-python, without a pool; its library needs libltdl7, which its wheel does not bring."""
    try:
        return driver()
    except Unavailable as reason:
        _skip(str(reason))


def pymssql() -> Any:
    """pymssql, on FreeTDS."""
    return _module("pymssql")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        _skip(f"{name} can't be imported: {error}")


def _skip(reason: str) -> None:
    MISSING.append(reason)
    pytest.skip(reason)
