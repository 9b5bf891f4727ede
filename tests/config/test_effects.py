"""Which properties change records: each has decided, and none of those is ignored."""

from pathlib import Path

import pytest

from tailrace.config import effects
from tailrace.config.property import Status
from tailrace.connectors.registry import SPECS

HERE = Path(__file__).parent
NAMES = {spec.database: f"debezium_3_6_{spec.name}_names.txt" for spec in SPECS.values()}
KNOWN = [(kind, each) for kind in SPECS.values() for each in (*kind.tables.properties, *kind.tables.families)]
CHANGES_RECORDS = effects.CHANGES_RECORDS.union(*(kind.tables.effects.changes for kind in SPECS.values()))
ONLY_TUNES = effects.ONLY_TUNES.union(*(kind.tables.effects.tunes for kind in SPECS.values()))


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
    if kind.tables.changes_records(each.name):
        assert each.status in {Status.WORKS, Status.REFUSED}


@pytest.mark.parametrize(
    ("database", "name"), [(database, name) for database, file in NAMES.items() for name in (HERE / file).read_text().split()]
)
def test_every_property_of_debezium_that_changes_records_works_or_is_refused(database, name):
    tables = next(kind.tables for kind in SPECS.values() if kind.database == database)
    current = tables.current_name(name)
    known = tables.by_name.get(current) or tables.family_of(current)
    assert known is not None
    if known.status in {Status.IGNORED, Status.UNUSED}:
        assert not tables.changes_records(known.name)
