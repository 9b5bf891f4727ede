"""The driver of the SQL Server stand-in, as the other comparisons ask for it."""

from tests.differential.sqlserver.conftest import with_driver

__all__ = ["with_driver"]
