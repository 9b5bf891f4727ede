"""What is specific to a database is in its connector's folder: nothing else names a database, in code or in text.

Comments and docstrings may name one, as an example or a reason. Each exception is listed with its reason, word by word,
so another word in the same file fails, and so does an exception that is no longer needed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tailrace
from tailrace.connectors.registry import FOLDERS

SOURCE = Path(tailrace.__file__).parent
OWN_FOLDERS = tuple(SOURCE / "connectors" / folder.rpartition(".")[2] for folder in FOLDERS)
NAMES = re.compile(
    r"mysql|mariadb|sql[ _]?server|mssql|t-?sql\b|db2|oracle|postgres|mongo|informix|vitess|cockroach|cassandra|spanner"
    r"|binlog|gtid|(?<![a-z])lsn",
    re.IGNORECASE,
)
HELP = "help is shown before anything is loaded that would know: it would cost every command its time"
OTHERS = "properties of connectors of Debezium's that are not there are recognised in configurations"
TRANSFORM = "a transform of Debezium's has the database in its class's name, and works on any envelope"
CLOUD_EVENT = "CloudEvents' ids are made of fields of the source block, which Debezium's converter knows by the connector's name"
ALLOWED = {
    ("connectors/registry.py", "mysql"): "the connector's line; and classes of JDBC sources, which are recognised",
    ("connectors/registry.py", "sqlserver"): "the connector's line, and whose shop the demo shows; and classes of JDBC sources",
    ("connectors/registry.py", "db2"): "the connector's line",
    **{
        ("connectors/registry.py", name): "classes of connectors that are not there yet are recognised in configurations"
        for name in ("mariadb", "oracle", "postgres", "mongo", "vitess", "spanner", "cassandra", "informix", "cockroach")
    },
    **{
        ("config/name_kinds.py", name): OTHERS
        for name in ("postgres", "oracle", "mongo", "informix", "vitess", "lsn")
    },
    ("connectors/custom_converters.py", "oracle"): OTHERS,
    **{
        ("encoding/cloud_events/attributes.py", name): CLOUD_EVENT
        for name in ("mysql", "mariadb", "sqlserver", "db2", "oracle", "lsn")
    },
    ("config/properties/reading.py", "mysql"): "one property means more with MySQL; the sentence stands on every connector's page",
    ("cli/main.py", "mysql"): HELP,
    ("cli/main.py", "sqlserver"): HELP,
    ("cli/main.py", "db2"): HELP,
    ("cli/main.py", "sql server"): HELP,
    ("cli/offsets_command.py", "binlog"): "an example in a message: what a position may look like",
    ("cli/demo_reader.py", "lsn"): "fields of the source block, by which the reader of any topic tells two events apart",
    ("schema/history.py", "gtid"): "a field of stored records, by which two copies of a statement are known to be one",
    ("signals/parsing.py", "binlog"): "the name of a signal of Debezium's, which is refused",
    ("transforms/registry.py", "mysql"): TRANSFORM,
    ("transforms/read_to_insert.py", "mysql"): TRANSFORM,
    ("snapshot/multiset.py", "binlog"): "a message of the pure core: why a change may lack columns",
}


LSN_IS_COMMON = "connectors/change_tables/"  # log sequence numbers are what every database of this kind has


def outside() -> Iterator[Path]:
    for path in sorted(SOURCE.rglob("*.py")):
        if not any(path.is_relative_to(folder) for folder in OWN_FOLDERS):
            yield path


def docstrings(tree: ast.Module) -> set[int]:
    """The nodes that are docstrings, those of attributes among them."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def texts(source: str) -> Iterator[str]:
    """All names and all text of a module, without what only explains."""
    tree = ast.parse(source)
    explaining = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str | bytes) and id(node) not in explaining:
                yield node.value if isinstance(node.value, str) else node.value.decode(errors="replace")
            continue
        for field in ("id", "attr", "name", "arg", "asname", "module", "names"):
            value = getattr(node, field, None)
            yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))


def named(source: str) -> set[str]:
    return {match.group().lower() for text in texts(source) for match in NAMES.finditer(text)}


def test_no_database_is_named_outside_of_its_connector_but_where_there_is_a_reason() -> None:
    found = {
        (path.relative_to(SOURCE).as_posix(), name) for path in outside() for name in named(path.read_text(encoding="utf-8"))
    }
    found = {(path, name) for path, name in found if not (path.startswith(LSN_IS_COMMON) and name == "lsn")}
    assert found - ALLOWED.keys() == set(), "put it into the connector's folder, or list it here with its reason"
    assert ALLOWED.keys() - found == set(), "these are named no longer: take them out of the list"


def test_names_are_found_in_code_and_text_and_not_in_what_explains() -> None:
    source = '''
"""As MySQL does."""
from x.sqlserver import y as gtid_y  # Oracle
BINLOG = f"{y}: Db2"
"""Of Postgres."""
'''
    assert named(source) == {"sqlserver", "gtid", "binlog", "db2"}
