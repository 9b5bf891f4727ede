"""Announced structures, found again by their capture instances."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

from tests.support.unit_settings import sqlserver_unit_settings

from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures, first_history
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.lsn import LSNS
from tailrace.schema.history import HistoryFile
from tailrace.schema.tables import Column, Table, TableId

START = LSNS.parse("00000025:00000d98:0003")


def instance_of(database: str) -> Instance:
    """As databases have it that were restored from one backup, or made by one script: alike but for the database."""
    table, made = TableId(database, "dbo", "orders"), dt.datetime(2026, 1, 1)  # noqa: DTZ001 -- the server's local time
    return Instance(table, "dbo_orders", 1_077_578_877, 245_575_913, "dbo_orders_CT", START, made, ("id",), ("id",))


def test_databases_that_were_made_alike_have_structures_of_their_own() -> None:
    dialect = SqlServerDialect(sqlserver_unit_settings({"database.names": "one,two"}))
    told, batch = AnnouncedStructures(dialect, ()), Batch(0)
    column = Column("id", "int", "int", 4, length=10, scale=0, optional=False)
    one, two = instance_of("one"), instance_of("two")
    told.announce(Table(one.table, (column,), ("id",)), one, START, batch)
    assert told.of_instance(two) is None
    told.announce(Table(two.table, (column,), ("id",)), two, START, batch)
    again = AnnouncedStructures(dialect, told.take_history())
    for structures in (told, again):
        assert [found.id.catalog for each in (one, two) if (found := structures.of_instance(each))] == ["one", "two"]


def test_all_tables_that_are_told_of_at_one_place_are_kept_and_each_once(tmp_path: Path) -> None:
    column = Column("id", "int", "int", 4, length=10, scale=0, optional=False)
    tables = [Table(TableId("testDB", "dbo", name), (column,), ("id",)) for name in ("a", "b", "c")]
    found = [(table, replace(instance_of("testDB"), table=table.id, name=table.id.name)) for table in tables]
    records = first_history(SqlServerDialect(sqlserver_unit_settings()), found, START, 0)
    path = tmp_path / "history"
    assert HistoryFile(path).append(records) == len(tables)
    assert HistoryFile(path).append(records) == 0
    assert HistoryFile(path).load() == records
