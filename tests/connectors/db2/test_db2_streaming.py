"""Reading CD tables: the records, their positions, and how reading resumes."""

from __future__ import annotations

import pytest

from support.change_table_reading import begin, read_on, told
from support.db2_reading import settings_of, write
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

SHOP = (
    "CREATE TABLE S.ORDERS (ID INTEGER NOT NULL PRIMARY KEY, ITEM VARCHAR(20), AMOUNT DECIMAL(8, 2))",
    "CREATE TABLE S.LINES (ID INTEGER NOT NULL, NO INTEGER NOT NULL, ITEM VARCHAR(20), PRIMARY KEY (ID, NO))",
    "CREATE TABLE S.NOTES (TEXT VARCHAR(30))",
)


@pytest.fixture
def shop(db2: Database) -> Database:
    """A database with three captured tables."""
    db2.sql(*SHOP)
    db2.register("S.ORDERS", "S.LINES", "S.NOTES")
    db2.replication.step()
    return db2


def test_each_operation_becomes_its_event(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    shop.sql("INSERT INTO S.ORDERS VALUES (1, 'a', 1.5)")
    shop.sql("UPDATE S.ORDERS SET ITEM = 'b'")
    write(shop, "DELETE FROM S.ORDERS")
    read_on(settings, read)
    one = {"ID": 1, "ITEM": "a", "AMOUNT": "AJY="}
    other = {**one, "ITEM": "b"}
    assert [each["topic"] for each in read.of("ORDERS")] == ["s.S.ORDERS"] * 4
    assert told(read.of("ORDERS")) == [("c", None, one), ("u", one, other), ("d", other, None), (None,)]
    assert [record["key"] for record in read.of("ORDERS")] == [{"ID": 1}] * 4
    sources = [record["value"]["source"] for record in read.of("ORDERS")[:3]]
    assert len({source["commit_lsn"] for source in sources}) == 3
    assert [source["change_lsn"] for source in sources] == sorted(source["change_lsn"] for source in sources)
