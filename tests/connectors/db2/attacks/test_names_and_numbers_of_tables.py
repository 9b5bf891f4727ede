"""Tables with any letters in their names, and many of them at once."""

from __future__ import annotations

import pytest

from support.change_table_reading import afters, read_on, started
from support.db2_reading import settings_of
from tailrace.connectors.db2.connection import literal, quoted
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers
NAMES = (
    "tab\t", "no-break\u00a0", "ideographic\u3000", "new\nline", "a.b", "quo'te", "{0}{1}", "%s %d", "--x", "/*", "a?b", ":p",
    "back\\slash", " before", "\x1b[31mred", "\u202eleft", "ümläut日本😀",
)  # fmt: skip


def test_names_of_any_letters_are_as_the_catalogue_has_them(db2: Database) -> None:
    schemas = [f"s {number}%" for number in range(len(NAMES))]
    for schema, name in zip(schemas, NAMES, strict=True):
        db2.sql(f"CREATE TABLE {quoted(schema, name)} ({quoted(name)} INTEGER NOT NULL PRIMARY KEY)")
        db2.sql(f"CALL ASNCDC.ADDTABLE({literal(schema)}, {literal(name)})")
    db2.replication.reinit()
    db2.replication.step()
    settings = settings_of(db2)
    read = started(settings)
    db2.sql(*(f"INSERT INTO {quoted(*names)} VALUES (1)" for names in zip(schemas, NAMES, strict=True)))
    db2.replication.step()
    told = [each["value"] for each in read_on(settings, read).records]
    assert {(each["source"]["schema"], each["source"]["table"]) for each in told} == set(
        zip(schemas, NAMES, strict=True)
    )
    assert all(each["after"] == {each["source"]["table"]: 1} for each in told)


def test_a_transaction_in_forty_tables_is_read_from_all_of_them(db2: Database) -> None:
    names = [f"S.T{number}" for number in range(40)]
    db2.sql(*(f"CREATE TABLE {name} (ID INTEGER NOT NULL PRIMARY KEY)" for name in names))
    db2.register(*names)
    db2.replication.step()
    settings = settings_of(db2)
    read = started(settings)
    db2.sql(*(f"INSERT INTO {name} VALUES (1)" for name in names))
    db2.replication.step()
    read_on(settings, read)
    assert all(afters(read, f".{name}") == [{"ID": 1}] for name in names)
