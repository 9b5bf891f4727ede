"""The drivers, where they are to be had: tests of one that is not are skipped, loudly."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import pytest

from tailrace.testing.ports import HOST, free_port

MISSING: list[str] = []


def mssql_python() -> Any:
    """mssql-python; its library needs libltdl7, which its wheel does not bring."""
    module = _module("mssql_python")
    if reason := _unloadable():
        _skip(f"mssql-python can't be loaded (apt-get install libltdl7): {reason}")
    return module


@cache
def _unloadable() -> str:
    """Why the driver's library can't be loaded; nothing where it can: then only the connection is refused."""
    try:
        _module("mssql_python").connect(f"Server={HOST},{free_port()};UID=x;PWD=x;Encrypt=no", timeout=1)
    except Exception as error:
        return str(error) if "failed to load" in str(error).lower() else ""
    return ""


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
