"""Which properties change records: each has decided, and none of those is ignored."""

from pathlib import Path

import pytest

from tailrace.config.effects import CHANGES_RECORDS, ONLY_TUNES, changes_records
from tailrace.config.property import Status
from tailrace.connectors.registry import KINDS

HERE = Path(__file__).parent
NAMES = {"MySQL": "debezium_3_6_mysql_names.txt", "SQL Server": "debezium_3_6_sqlserver_names.txt"}
KNOWN = [(kind, each) for kind in KINDS.values() for each in (*kind.tables.properties, *kind.tables.families)]


def key_of(name):
    return name.split()[0].rstrip(",")


def test_each_property_stands_in_one_of_the_lists():
    names = {key_of(each.name) for _, each in KNOWN}
    assert names == CHANGES_RECORDS | ONLY_TUNES, "add a new property to a list of config/effects.py, take out an old one"
    assert not CHANGES_RECORDS & ONLY_TUNES


@pytest.mark.parametrize(
    ("kind", "each"), [pytest.param(kind, each, id=f"{kind.database}: {each.name}") for kind, each in KNOWN]
)
def test_what_changes_records_is_not_ignored(kind, each):
    if changes_records(each.name, kind.database):
        assert each.status in {Status.WORKS, Status.REFUSED}


@pytest.mark.parametrize(
    ("database", "name"), [(database, name) for database, file in NAMES.items() for name in (HERE / file).read_text().split()]
)
def test_every_property_of_debezium_that_changes_records_works_or_is_refused(database, name):
    tables = next(kind.tables for kind in KINDS.values() if kind.database == database)
    current = tables.current_name(name)
    known = tables.by_name.get(current) or tables.family_of(current)
    assert known is not None
    if known.status in {Status.IGNORED, Status.UNUSED}:
        assert not changes_records(known.name, database)
