"""The workloads of the benchmarks: tables, and the statements that change their rows.

Each workload is a list of SQL statements for an empty database; `fill` runs them. Recursive queries in the server generate the
rows, so that writing a million changes takes seconds. `scale` is the number of changes.

orders   10 columns, the reference: 50 % inserts, 35 % updates, 15 % deletes; 80 % of the changes in transactions of
         100 to 1,000 rows, 20 % in transactions of one row
wide     60 columns of mixed types, inserts and updates
stock    5 short columns with a key of three of them, of as many types: 60 % inserts, 30 % updates, 10 % deletes in transactions
         of 50 rows
many     500 tables of 6 columns, small transactions that each touch several tables
plain    inserts in bulk, 8 columns of integers and strings
rare     the same rows with JSON, ENUM, SET, BIT and latin1 columns
outbox   a table as Debezium's EventRouter reads it: 80 % inserts, nine of ten in transactions of 100 rows, the others in
         transactions of one row; 20 % deletes of the oldest rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

ROWS = "WITH RECURSIVE s(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last})"
SETUP = "SET SESSION cte_max_recursion_depth = 10000000"


def fill(connection: Any, name: str, scale: int) -> None:
    """Create the tables of a workload in the current database, then make its changes."""
    with connection.cursor() as cursor:
        cursor.execute(SETUP)
        for statement in WORKLOADS[name][1](scale):
            cursor.execute(statement)
    connection.commit()


def create(connection: Any, name: str) -> None:
    """Create the tables of a workload in the current database."""
    with connection.cursor() as cursor:
        for statement in WORKLOADS[name][0]():
            cursor.execute(statement)


def counted(name: str, scale: int) -> dict[str, int]:
    """The number of row changes of a workload at a scale, and of deletes among them."""
    if name == "orders":
        bulk, single = scale * 4 // 10, scale // 10
        updates = _hundreds(bulk * 7 // 10) + single * 7 // 10
        deletes = _hundreds(bulk * 3 // 10) + single * 3 // 10
        return {"changes": bulk + single + updates + deletes, "deletes": deletes}
    if name == "stock":
        inserts, updates, deletes = (_STOCK_ROWS * products for products in _stock_products(scale))
        return {"changes": inserts + updates + deletes, "deletes": deletes}
    if name == "outbox":
        deletes = _hundreds(scale // 5)
        return {"changes": scale - scale // 5 + deletes, "deletes": deletes}
    if name == "wide":
        inserts = scale * 6 // 10
        return {"changes": inserts + _hundreds(scale - inserts), "deletes": 0}
    return {"changes": scale // 5000 * 5000 if name == "many" else scale, "deletes": 0}


def rows(name: str, first: int, last: int, *, step: int = 1) -> str:
    """A statement that inserts the rows `first` to `last` of `orders` or `wide`; an id is the row's number times `step`."""
    numbers = ROWS.format(first=first, last=last)
    n = "n" if step == 1 else f"(n * {step})"
    return f"INSERT INTO {name} {numbers} {'SELECT ' + _wide_values(n) if name == 'wide' else ORDER.format(n=n)} FROM s"


def _hundreds(rows: int) -> int:
    return -(-rows // 100) * 100


_LOOP = (
    "CREATE PROCEDURE {name}(IN base INT, IN cnt INT) BEGIN DECLARE i INT DEFAULT 1; "
    "WHILE i <= cnt DO {body}; SET i = i + 1; END WHILE; END"
)


def _orders_tables() -> Iterator[str]:
    yield (
        "CREATE TABLE orders (id INT NOT NULL PRIMARY KEY, customer_id INT NOT NULL, product_id INT NOT NULL, "
        "quantity SMALLINT NOT NULL DEFAULT 1, status VARCHAR(16) NOT NULL, email VARCHAR(255), "
        "amount DECIMAL(12,2) NOT NULL, order_date DATETIME(3) NOT NULL, "
        "updated_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), note VARCHAR(100))"
    )
    yield _LOOP.format(name="insert_each", body="INSERT INTO orders " + ORDER.format(n="(base + i)"))
    yield _LOOP.format(name="update_each", body="UPDATE orders SET status = 'PAID2', quantity = quantity + 1, updated_at = NOW(6) WHERE id = base + i")
    yield _LOOP.format(name="delete_each", body="DELETE FROM orders WHERE id = base + i")


ORDERS_COLUMNS = (
    "id", "customer_id", "product_id", "quantity", "status", "email", "amount", "order_date", "updated_at", "note",
)  # fmt: skip
ORDER = (
    "SELECT {n}, 1000 + {n} % 50000, 1 + {n} % 997, 1 + {n} % 20, ELT(1 + {n} % 4, 'NEW', 'PAID', 'SHIPPED', 'CANCELLED'), "
    "CONCAT('user', {n} % 50000, '@example.com'), ({n} % 100000) / 7.0, '2024-01-01 00:00:00.123' + INTERVAL {n} SECOND, "
    "NOW(6), IF({n} % 5 = 0, NULL, CONCAT('note for order ', {n}))"
)


def _orders_changes(scale: int) -> Iterator[str]:
    bulk, single = scale * 4 // 10, scale // 10
    for first in range(0, bulk, 1000):
        rows = ROWS.format(first=first + 1, last=min(first + 1000, bulk))
        yield f"INSERT INTO orders {rows} {ORDER.format(n='n')} FROM s"
    yield f"CALL insert_each({bulk}, {single})"
    for first in range(0, bulk * 7 // 10, 100):
        yield f"UPDATE orders SET status = 'SHIP2', amount = amount + 1, updated_at = NOW(6) WHERE id > {first} AND id <= {first + 100}"
    yield f"CALL update_each({bulk}, {single * 7 // 10})"
    for first in range(0, bulk * 3 // 10, 100):
        yield f"DELETE FROM orders WHERE id > {first} AND id <= {first + 100}"
    yield f"CALL delete_each({bulk}, {single * 3 // 10})"


_WIDE = (
    ("INT NOT NULL", "{n} * {k}"),
    ("BIGINT", "{n} * 1000003 + {k}"),
    ("VARCHAR(64)", "CONCAT('value ', {n} % 1000, ' of column {k}')"),
    ("DECIMAL(18,4)", "({n} % 1000000) / 7.0"),
    ("DATETIME(3)", "'2024-01-01 00:00:00.123' + INTERVAL {n} SECOND"),
    ("DOUBLE", "{n} / 8"),
    ("VARCHAR(20)", "IF({n} % 3 = 0, NULL, 'short')"),
    ("DATE", "'2000-01-01' + INTERVAL {n} % 5000 DAY"),
    ("TINYINT UNSIGNED", "{n} % 256"),
    ("TIMESTAMP(6) NULL", "'2024-06-01 00:00:00.654321' + INTERVAL {n} SECOND"),
    ("CHAR(8)", "LPAD({n} % 100000, 8, '0')"),
    ("VARBINARY(16)", "UNHEX(LPAD(HEX({n}), 16, '0'))"),
)


def _wide_tables() -> Iterator[str]:
    columns = ", ".join(f"c{k} {_WIDE[k % len(_WIDE)][0]}" for k in range(1, 60))
    yield f"CREATE TABLE wide (id INT NOT NULL PRIMARY KEY, {columns})"


def _wide_values(n: str) -> str:
    return ", ".join([n, *(_WIDE[k % len(_WIDE)][1].format(n=n, k=k) for k in range(1, 60))])


def _wide_changes(scale: int) -> Iterator[str]:
    values = _wide_values("n")
    inserts = scale * 6 // 10
    for first in range(0, inserts, 500):
        yield f"INSERT INTO wide {ROWS.format(first=first + 1, last=min(first + 500, inserts))} SELECT {values} FROM s"
    for first in range(0, scale - inserts, 100):
        yield f"UPDATE wide SET c2 = 'changed', c3 = c3 + 1 WHERE id > {first} AND id <= {first + 100}"


_STOCK_ROWS = 50  # of a product: one for each warehouse


def _stock_products(scale: int) -> tuple[int, int, int]:
    """How many products are inserted, updated and deleted."""
    return scale * 6 // 10 // _STOCK_ROWS, scale * 3 // 10 // _STOCK_ROWS, scale // 10 // _STOCK_ROWS


def _stock_tables() -> Iterator[str]:
    yield (
        "CREATE TABLE stock (sku VARCHAR(12) NOT NULL, warehouse SMALLINT NOT NULL, day DATE NOT NULL, quantity INT NOT NULL, "
        "reserved INT, PRIMARY KEY (sku, warehouse, day))"
    )


def _stock_changes(scale: int) -> Iterator[str]:
    inserted, updated, deleted = _stock_products(scale)
    warehouses = ROWS.format(first=1, last=_STOCK_ROWS)
    for product in range(inserted):
        values = f"'P{product}', n, '2024-01-01' + INTERVAL {product} % 1000 DAY, n * 7, IF(n % 3 = 0, NULL, n)"
        yield f"INSERT INTO stock {warehouses} SELECT {values} FROM s"
    for product in range(updated):
        yield f"UPDATE stock SET quantity = quantity + 1 WHERE sku = 'P{product}'"
    for product in range(deleted):
        yield f"DELETE FROM stock WHERE sku = 'P{product}'"


def _many_tables() -> Iterator[str]:
    for k in range(500):
        yield (
            f"CREATE TABLE t{k} (id INT NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL, amount DECIMAL(10,2), "
            "at DATETIME(3), flag TINYINT NOT NULL DEFAULT 0, note VARCHAR(80))"
        )


def _many_changes(scale: int) -> Iterator[str]:
    values = "n, CONCAT('name ', n), (n % 10000) / 7.0, '2024-01-01 00:00:00.123' + INTERVAL n SECOND, n % 2, CONCAT('note ', n)"
    for round_ in range(scale // (500 * 10)):
        for k in range(500):
            yield "BEGIN" if k % 5 == 0 else "DO 0"
            yield f"INSERT INTO t{k} {ROWS.format(first=round_ * 10 + 1, last=round_ * 10 + 10)} SELECT {values} FROM s"
            yield "COMMIT" if k % 5 == 4 else "DO 0"


_INTO_OUTBOX = "INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) "
OUTBOX_MARKER = "marker"  # the type of the last row
OUTBOX_TYPES = ("order", "customer", "invoice")
_OUTBOX_ROW = (
    "SELECT INSERT(INSERT(INSERT(INSERT(LEFT(SHA2({n}, 256), 32), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-'), "
    f"ELT(1 + {{n}} % {len(OUTBOX_TYPES)}, {', '.join(map(repr, OUTBOX_TYPES))}), CAST(1000 + {{n}} % 50000 AS CHAR), "
    "ELT(1 + {n} % 2, 'Created', 'Changed'), JSON_OBJECT('orderId', {n}, 'customer', CONCAT('user', {n} % 50000, '@example.com'), "
    "'total', ({n} % 100000) / 8, 'paid', ({n} % 2) = 1, 'lines', JSON_ARRAY(JSON_OBJECT('sku', CONCAT('P', {n} % 997), 'quantity', 1 + {n} % 20), "
    "JSON_OBJECT('sku', CONCAT('P', {n} % 991), 'quantity', 1 + {n} % 7)))"
)


def outbox_events(scale: int) -> dict[str, int]:
    """The number of inserts into the outbox by type of aggregate."""
    inserts, kinds = scale - scale // 5, len(OUTBOX_TYPES)
    numbers = [sum(1 for n in range(1, kinds + 1) if n % kinds == k and n <= inserts % kinds) for k in range(kinds)]
    return {type_: inserts // kinds + numbers[k] for k, type_ in enumerate(OUTBOX_TYPES)}


def outbox_row(type_: str) -> str:
    """A statement that inserts a row of another aggregate type into the outbox."""
    return f"{_INTO_OUTBOX}VALUES ('00000000-0000-0000-0000-000000000000', '{type_}', '1', 'Created', '{{\"last\": true}}')"


def _outbox_tables() -> Iterator[str]:
    yield (
        "CREATE TABLE outbox (number INT NOT NULL AUTO_INCREMENT UNIQUE, id CHAR(36) NOT NULL PRIMARY KEY, "
        "aggregatetype VARCHAR(60) NOT NULL, aggregateid VARCHAR(60) NOT NULL, type VARCHAR(60) NOT NULL, payload JSON)"
    )
    row = _INTO_OUTBOX + _OUTBOX_ROW.format(n="(base + i)")
    yield _LOOP.format(name="insert_each", body=row)


def _outbox_changes(scale: int) -> Iterator[str]:
    inserts = scale - scale // 5
    single = inserts // 10
    for first in range(0, inserts - single, 100):
        rows = ROWS.format(first=first + 1, last=min(first + 100, inserts - single))
        yield f"{_INTO_OUTBOX}{rows} {_OUTBOX_ROW.format(n='n')} FROM s"
    yield f"CALL insert_each({inserts - single}, {single})"
    for first in range(0, scale // 5, 100):
        yield f"DELETE FROM outbox WHERE number > {first} AND number <= {first + 100}"


def _plain_tables() -> Iterator[str]:
    yield (
        "CREATE TABLE plain (id INT NOT NULL PRIMARY KEY, a INT, b BIGINT, c VARCHAR(40), d VARCHAR(40), e VARCHAR(20), "
        "f SMALLINT, g VARCHAR(60)) CHARACTER SET utf8mb4"
    )


def _rare_tables() -> Iterator[str]:
    yield (
        "CREATE TABLE rare (id INT NOT NULL PRIMARY KEY, a ENUM('small', 'medium', 'large'), b SET('red', 'green', 'blue', 'black'), "
        "c VARCHAR(40) CHARACTER SET latin1, d VARCHAR(40) CHARACTER SET latin1, e BIT(12), f BIT(1), g JSON)"
    )


def _bulk(table: str, values: str) -> Callable[[int], Iterator[str]]:
    def changes(scale: int) -> Iterator[str]:
        for first in range(0, scale, 1000):
            yield f"INSERT INTO {table} {ROWS.format(first=first + 1, last=min(first + 1000, scale))} SELECT {values} FROM s"

    return changes


WORKLOADS: dict[str, tuple[Callable[[], Iterator[str]], Callable[[int], Iterator[str]]]] = {
    "orders": (_orders_tables, _orders_changes),
    "wide": (_wide_tables, _wide_changes),
    "stock": (_stock_tables, _stock_changes),
    "many": (_many_tables, _many_changes),
    "plain": (
        _plain_tables,
        _bulk("plain", "n, n * 7, n * 1000003, CONCAT('customer ', n), CONCAT('street ', n % 500), 'town', n % 3000, CONCAT('{\"n\": ', n, '}')"),
    ),
    "outbox": (_outbox_tables, _outbox_changes),
    "rare": (
        _rare_tables,
        _bulk(
            "rare",
            "n, 1 + n % 3, 1 + n % 15, CONCAT('Käufer ', n), CONCAT('Straße ', n % 500), n % 4096, n % 2, "
            "JSON_OBJECT('n', n, 'tags', JSON_ARRAY('a', 'b'), 'price', n / 8)",
        ),
    ),
}
