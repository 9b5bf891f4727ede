"""Which servers are refused, from their variables alone."""

import pytest

from tailrace.connectors.mysql.catalog import from_variables
from tailrace.errors import UnsupportedError


@pytest.mark.parametrize(
    "variables",
    [
        {"version": "10.11.6-MariaDB-1:10.11.6", "version_comment": "mariadb.org binary distribution"},
        {"version": "11.4.2", "version_comment": "MariaDB Server"},
    ],
)
def test_mariadb_is_refused(variables):
    with pytest.raises(UnsupportedError, match="MariaDB"):
        from_variables(variables)


def test_a_server_that_is_too_old_is_refused():
    with pytest.raises(UnsupportedError, match=r"5\.6\.51-log: 5\.7 or newer"):
        from_variables({"version": "5.6.51-log"})


@pytest.mark.parametrize(
    ("text", "version"),
    [("5.7.44-log", (5, 7, 44)), ("8.0.36-28", (8, 0, 36)), ("9.7.4-2", (9, 7, 4)), ("8.4", (8, 4, 0))],
)
def test_a_version_is_three_numbers(text, version):
    assert from_variables({"version": text}).version == version


def test_a_version_without_numbers_is_refused():
    with pytest.raises(UnsupportedError, match="not one of MySQL's"):
        from_variables({"version": "next"})
