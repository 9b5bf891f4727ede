"""Table structures from DDL, in short forms."""

from tailrace.connectors.mysql.structures import Structures
from tailrace.schema.table_changes import TableChange
from tailrace.schema.tables import Column, Table, TableId

DATABASE = "shop"


def applied(*statements: str) -> Structures:
    """The structures after these statements, in a database whose default character set is utf8mb4."""
    structures = Structures()
    structures.server_charset = "utf8mb4"
    for statement in statements:
        structures.apply(DATABASE, statement)
    return structures


def changes_of(structures: Structures, ddl: str) -> list[TableChange]:
    return structures.apply(DATABASE, ddl)


def table(structures: Structures, name: str, database: str = DATABASE) -> Table:
    return structures[TableId(database, "", name)]


def column(definition: str, options: str = "") -> Column:
    """The column that a definition makes."""
    return table(applied(f"CREATE TABLE t (c {definition}) {options}"), "t").columns[0]


def names(structures: Structures, name: str = "t") -> list[str]:
    return [c.name for c in table(structures, name).columns]
