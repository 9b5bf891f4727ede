"""Real Debezium's SQL Server connector reads the stand-in: snapshot, changes, another capture instance, a restart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.differential.snapshots.running import Captured
from tests.standins.sqlserver.debezium.shop import TRANSACTIONS, Reading, Shop, ends, folded, of_tables, told

from support.every_scenario import only_with_all

pytestmark = [pytest.mark.debezium, pytest.mark.slow, only_with_all]  # in tests/differential/sqlserver it reads the stand-in too
SNAPSHOT = {"products": 6, "products_on_hand": 6, "customers": 3, "orders": 4}
ROWS = sum(SNAPSHOT.values())
CHANGES = (
    "INSERT dbo.customers (first_name, last_name, email) VALUES (N'Eva', N'Říha', N'eva@example.com')",
    "UPDATE dbo.customers SET email = N'e@example.com' WHERE id = 1004",
    "INSERT dbo.products (name, description, weight) VALUES (N'stove', NULL, 0.9)",
    "UPDATE dbo.products_on_hand SET product_id = 107 WHERE product_id = 106",
    "DELETE dbo.orders WHERE id = 10004",
    """BEGIN TRAN
    INSERT dbo.customers (first_name, last_name, email) VALUES (N'Ivo', N'Hora', N'ivo@example.com')
    INSERT dbo.orders (order_date, purchaser, quantity, product_id) VALUES ('2026-03-01', 1005, 1, 101), ('2026-03-02', 1005, 2, 107)
    UPDATE dbo.products_on_hand SET quantity = quantity - 1 WHERE product_id IN (101, 107)
    COMMIT""",
    "BEGIN TRAN DELETE dbo.orders WHERE id = 10001 ROLLBACK",
)
TOLD = [
    ("customers", "c", 1004),
    ("customers", "u", 1004),
    ("products", "c", 107),
    ("products_on_hand", "d", 106),
    ("products_on_hand", "", 106),
    ("products_on_hand", "c", 107),
    ("orders", "d", 10004),
    ("orders", "", 10004),
    ("customers", "c", 1005),
    ("orders", "c", 10005),
    ("orders", "c", 10006),
    ("products_on_hand", "u", 101),
    ("products_on_hand", "u", 107),
]


def test_changes_read_from_the_change_tables(shop: Shop, tmp_path: Path) -> None:
    with Reading(shop, tmp_path / "direct", {"data.query.mode": "direct"}) as reading:
        reading.start()
        reading.until_told(ROWS, "the snapshot")
        the_snapshot_has_all_rows(reading)
        shop.run(*CHANGES)
        assert reading.until_told(ROWS + len(TOLD), "changes")[ROWS:] == TOLD
        reading.until(lambda records: len(ends(records)) == 6, "the end of the last transaction")
        the_changes_have_their_rows(reading)
        the_transactions_have_their_counts(reading)
        another_instance_takes_over(shop, reading)
        reading.stop()

        before = len(told(reading.records))
        shop.run("EXEC sys.sp_cdc_disable_table N'dbo', N'customers', N'dbo_customers'", *away())
        reading.start()
        assert reading.until_told(before + 3, "what happened meanwhile")[before:] == [
            ("customers", "u", 1006),
            ("orders", "d", 10005),
            ("orders", "", 10005),
        ]
        shop.run("UPDATE dbo.customers SET phone = N'4' WHERE id = 1007")
        assert reading.until_told(before + 4, "a change after the restart")[before + 3 :] == [("customers", "u", 1007)]
        reading.stop()
        nothing_is_lost_or_double(shop, reading)


def test_changes_read_by_the_function(shop: Shop, tmp_path: Path) -> None:
    shop.run("ALTER DATABASE inventory SET ALLOW_SNAPSHOT_ISOLATION ON")
    properties = {"data.query.mode": "function", "snapshot.isolation.mode": "snapshot", "streaming.fetch.size": "2"}
    with Reading(shop, tmp_path / "function", properties) as reading:
        reading.start()
        reading.until_told(ROWS, "the snapshot")
        the_snapshot_has_all_rows(reading)
        shop.run(
            "INSERT dbo.products (name, weight) VALUES (N'stove', 0.9)",
            "UPDATE dbo.orders SET quantity = quantity + 1 WHERE quantity = 2",
            "UPDATE dbo.products_on_hand SET product_id = 107 WHERE product_id = 106",
        )
        assert reading.until_told(ROWS + 6, "changes")[ROWS:] == [
            ("products", "c", 107),
            ("orders", "u", 10002),
            ("orders", "u", 10003),
            ("products_on_hand", "d", 106),
            ("products_on_hand", "", 106),
            ("products_on_hand", "c", 107),
        ]
        a_disabled_instance_is_left_alone(shop, reading)
        reading.stop()
        nothing_is_lost_or_double(shop, reading)


def the_snapshot_has_all_rows(reading: Reading) -> None:
    """Every row once, as what it is, with the marks of a snapshot's first and last records."""
    records = of_tables(reading.records)
    assert {operation for _, operation, _ in told(records)} == {"r"}
    assert Counter(name for name, _, _ in told(records)) == SNAPSHOT
    assert (records[0].mark, records[-1].mark) == ("first", "last")
    assert folded(records)["products"][106] == {
        "id": 106,
        "name": "whistle",
        "description": None,
        "weight": "0.020",
    }
    assert folded(records)["customers"][1002]["last_name"] == "Žák"
    assert folded(records)["orders"][10001]["order_date"] == 20469  # days since 1970


def the_changes_have_their_rows(reading: Reading) -> None:
    """Rows before and after, and where in the log they stand."""
    records = of_tables(reading.records)[ROWS:]
    update = records[1].value
    assert (update["before"]["email"], update["after"]["email"]) == ("eva@example.com", "e@example.com")
    assert update["after"]["last_name"] == "Říha"
    moved = records[3:6]
    assert moved[0].value["before"] == {"product_id": 106, "quantity": 45}
    assert moved[1].record.value is None
    assert moved[2].value["after"] == {"product_id": 107, "quantity": 45}
    commits = [each.value["source"]["commit_lsn"] for each in records if each.value]
    assert commits == sorted(commits)
    assert len(set(commits)) == 6
    assert [each.value["after"]["quantity"] for each in records[-2:]] == [39, 44]


def the_transactions_have_their_counts(reading: Reading) -> None:
    """BEGIN and END around each, with the events of each table; and their place in it on the events."""
    states = [each.value["status"] for each in reading.records if each.record.topic == TRANSACTIONS]
    assert states[-12:] == ["BEGIN", "END"] * 6
    last = ends(reading.records)[-1].value
    assert last["event_count"] == 5
    counts = {each["data_collection"].rpartition(".")[2]: each["event_count"] for each in last["data_collections"]}
    assert counts == {"customers": 1, "orders": 2, "products_on_hand": 2}
    orders = [each.value["transaction"]["total_order"] for each in of_tables(reading.records)[-5:]]
    assert orders == [1, 2, 3, 4, 5]


def another_instance_takes_over(shop: Shop, reading: Reading) -> None:
    """A column is added: the old instance goes on without it, a second one brings it."""
    before = len(told(reading.records))
    shop.run("ALTER TABLE dbo.customers ADD phone nvarchar(20) NULL", _customer("Jan", "1"))
    shop.enable("customers", "dbo_customers_2")
    shop.run(_customer("Pia", "2"))
    found = reading.until_told(before + 2, "changes of both instances")
    assert found[before:] == [("customers", "c", 1006), ("customers", "c", 1007)]
    first, second = (each.value["after"] for each in of_tables(reading.records)[-2:])
    assert "phone" not in first
    assert second["phone"] == "2"


def away() -> tuple[str, ...]:
    """Changes while Debezium is not there."""
    return ("UPDATE dbo.customers SET phone = N'3' WHERE id = 1006", "DELETE dbo.orders WHERE id = 10005")


def a_disabled_instance_is_left_alone(shop: Shop, reading: Reading) -> None:
    """An instance that is disabled while it is read from is not read from any more, the others are."""
    before = len(told(reading.records))
    shop.run("EXEC sys.sp_cdc_disable_table N'dbo', N'customers', N'all'")
    shop.run("UPDATE dbo.customers SET last_name = N'Berg'", "UPDATE dbo.products_on_hand SET quantity = 0")
    found = reading.until_told(before + 6, "changes of another table")[before:]
    assert found == [("products_on_hand", "u", key) for key in (101, 102, 103, 104, 105, 107)]


def nothing_is_lost_or_double(shop: Shop, reading: Reading) -> None:
    """Whoever applies all events has the tables as they are, and no event came twice."""
    for name, rows in folded(reading.records).items():
        key = "product_id" if name == "products_on_hand" else "id"
        kept = shop.client.rows(f"SELECT {key} FROM dbo.{name} ORDER BY 1")
        assert sorted(rows) == [row[0] for row in kept], name
    quantities = shop.client.rows("SELECT product_id, quantity FROM dbo.products_on_hand ORDER BY 1")
    found = sorted(folded(reading.records)["products_on_hand"].items())
    assert [(key, row["quantity"]) for key, row in found] == [tuple(row) for row in quantities]
    places = [_place(each) for each in of_tables(reading.records) if each.op in {"c", "u", "d"}]
    assert len(set(places)) == len(places)


def _place(record: Captured) -> tuple[Any, ...]:
    source = record.value["source"]
    return source["commit_lsn"], source["change_lsn"], source["event_serial_no"], record.op


def _customer(name: str, phone: str) -> str:
    return (
        "INSERT dbo.customers (first_name, last_name, email, phone) "
        f"VALUES (N'{name}', N'Novak', N'{name}@example.com', N'{phone}')"
    )
