"""Tables with many rows, which the server generates itself, and with keys of various types."""

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.snapshots.keys import keys_of
from tailrace.schema.tables import TableId

COUNT = 20_000
NUMBERS = f"WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {COUNT}) SELECT "


def made(connection, database, definition, values):
    """The table `t` with `COUNT` rows, whose values are expressions of their number `n`; and its key."""
    table = TableId(database, "", "t")
    rows(connection, f"SET SESSION cte_max_recursion_depth = {COUNT}")
    rows(connection, f"USE {database}")
    rows(connection, f"CREATE TABLE {database}.t ({definition})")
    rows(connection, f"INSERT INTO {database}.t {NUMBERS}{values} FROM s")
    rows(connection, f"ANALYZE TABLE {database}.t")
    return table, keys_of(connection, catalog.server(connection), [table])[table]
