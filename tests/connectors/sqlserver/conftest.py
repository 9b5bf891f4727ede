"""Logins that several modules need."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from support.sqlserver_reading import READER_PASSWORD
from tailrace_standins.servers.sqlserver_server import Database


@pytest.fixture
def reader(sqlserver: Database) -> Iterator[str]:
    """A login with a user in the database, who may do nothing yet."""
    name = f"reader_{uuid.uuid4().hex[:8]}"
    sqlserver.server.sql(f"CREATE LOGIN [{name}] WITH PASSWORD = '{READER_PASSWORD}'")
    sqlserver.sql(f"CREATE USER [{name}] FOR LOGIN [{name}]")
    yield name
    sqlserver.sql(f"DROP USER [{name}]")
    sqlserver.server.sql(f"DROP LOGIN [{name}]")


@pytest.fixture
def login(reader: str) -> dict[str, str]:
    """The properties of a connector that is that user."""
    return {"database_user": reader, "database_password": READER_PASSWORD}
