"""Range ends of a table, a few at a time: together the ranges cover it, each of about the wanted size."""

import json

import pytest

from support.keyed_tables import COUNT, made
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.snapshots import range_ends, splitting
from tailrace.connectors.mysql.snapshots.parts import PartRangePlanning
from tailrace.connectors.mysql.snapshots.range_ends import next_range_ends
from tailrace.connectors.mysql.snapshots.statements import ascending, inside_of, names_of
from tailrace.errors import KeyChangedError

pytestmark = pytest.mark.mysql
OF_ROWS = 1_500
TABLES = {
    "numbers": ("id INT PRIMARY KEY", "n"),
    "unsigned": ("id BIGINT UNSIGNED PRIMARY KEY", "18446744073709551615 - n"),
    "clusters": ("id BIGINT PRIMARY KEY", "IF(n % 2, n, 9000000000000000000 + n)"),
    "one_tenant": ("t INT, id INT, PRIMARY KEY (t, id)", "7, n"),
    "tenants": ("t INT, u INT, id INT, PRIMARY KEY (t, u, id)", "n % 3, n % 7, n"),
    "uuids": ("id CHAR(36) PRIMARY KEY", "CONCAT(LEFT(SHA2(n, 256), 32), '-x')"),
    "days_behind": ("e ENUM('a', 'b', 'c'), id INT, PRIMARY KEY (e, id)", "1 + n % 3, n"),
}


def all_cuts(connection, table, key, most):
    """Asked for again from the last one, as one who plans step by step does."""
    points, is_end = [], False
    while not is_end:
        found = next_range_ends(connection, table, key, points[-1] if points else None, of_rows=OF_ROWS, most=most)
        assert len(found.points) <= most
        assert found.points or found.is_end, "it goes on"
        points, is_end = points + json.loads(json.dumps(found.points)), found.is_end
    return points


def sizes(connection, table, key, points):
    conditions = [inside_of(key, names_of(key, "`t`"), interval) for interval in splitting.segments(points)]
    (found,) = rows(connection, f"SELECT {', '.join(f'SUM({c})' for c in conditions)} FROM {table.catalog}.t")
    return list(map(int, found))


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize("name", TABLES)
def test_cuts_cover_a_table_in_ranges_of_like_size(connection, database, name, most):
    table, key = made(connection, database, *TABLES[name])
    points = all_cuts(connection, table, key, most)
    found = sizes(connection, table, key, points)
    assert sum(found) == COUNT
    assert ascending(connection, key, points) == points
    assert max(found) < OF_ROWS * 2.5, found
    assert COUNT / OF_ROWS / 2 <= len(found) <= COUNT / OF_ROWS * 2 + 1, found


@pytest.mark.parametrize("name", ["numbers", "uuids"])
def test_a_table_that_is_emptied_meanwhile_has_an_end(connection, database, name):
    table, key = made(connection, database, *TABLES[name])
    ((first, *_), *_) = [next_range_ends(connection, table, key, None, of_rows=OF_ROWS, most=1).points]
    rows(connection, f"TRUNCATE TABLE {database}.t")
    assert next_range_ends(connection, table, key, first, of_rows=OF_ROWS, most=4) == range_ends.RangeEnds(
        [], is_end=True
    )


@pytest.mark.parametrize("name", ["numbers", "uuids"])
@pytest.mark.parametrize("statement", ["DROP TABLE t", "RENAME TABLE t TO gone"])
def test_so_has_one_that_is_dropped_or_renamed(connection, database, name, statement):
    """Each further step would fail; the reader of the rest finds that in the log."""
    table, key = made(connection, database, *TABLES[name])
    planning = PartRangePlanning(connection, catalog.server(connection))
    ((first, *_), *_) = [planning.next_range_ends(table, key, None, of_rows=OF_ROWS, most=1).points]
    rows(connection, statement)
    assert planning.next_range_ends(table, key, first, of_rows=OF_ROWS, most=4) == range_ends.RangeEnds([], is_end=True)


@pytest.mark.parametrize("statement", ["DROP PRIMARY KEY", "RENAME COLUMN id TO other"])
def test_one_whose_key_is_gone_can_not_be_planned(connection, database, statement):
    table, key = made(connection, database, *TABLES["uuids"])
    rows(connection, f"ALTER TABLE t {statement}")
    with pytest.raises(KeyChangedError, match="the key id"):
        PartRangePlanning(connection, catalog.server(connection)).next_range_ends(table, key, None, of_rows=OF_ROWS, most=1)


def test_where_estimates_lead_nowhere_the_key_is_walked_along(connection, database, monkeypatch):
    table, key = made(connection, database, *TABLES["numbers"])
    monkeypatch.setattr(splitting, "_explained", lambda *_: 10**9)
    monkeypatch.setattr(range_ends, "HALVINGS_OF_A_RANGE", 3)
    assert all_cuts(connection, table, key, 2) == [[n] for n in range(OF_ROWS, COUNT, OF_ROWS)]
