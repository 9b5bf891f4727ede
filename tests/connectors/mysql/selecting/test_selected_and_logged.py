"""A row has the same values and the same key whether it is selected or read from the log."""

import random
import re
import zlib
from pathlib import Path

import pytest
from same_rows import Database, both_sides

pytestmark = pytest.mark.mysql

TYPES = Path(__file__).parents[3] / "differential" / "cases" / "types.sql"
MODES = {
    "defaults": {},
    "texts": {
        "decimal_handling_mode": "string",
        "time_precision_mode": "isostring",
        "binary_handling_mode": "base64",
        "bigint_unsigned_handling_mode": "precise",
    },
    "doubles": {
        "decimal_handling_mode": "double",
        "time_precision_mode": "connect",
        "binary_handling_mode": "hex",
    },
    "microseconds": {"time_precision_mode": "adaptive_time_microseconds", "binary_handling_mode": "base64-url-safe"},
    "nanoseconds": {"time_precision_mode": "nanoseconds", "enable_time_adjuster": "false"},
}
TEXTS = {
    "latin1": "é€ÿ", "cp932": "日本語①", "sjis": "日本", "utf16": "é😀𝄞", "utf16le": "é😀", "utf32": "日😀", "ucs2": "é€",
    "gbk": "中文", "gb18030": "中文😀", "koi8r": "Привет", "utf8mb3": "é€日", "utf8mb4": "é😀", "binary": "raw",
}  # fmt: skip


def chance_of(request):
    """Random numbers, the same each time for a test; a failing test shows its seed."""
    seed = zlib.crc32(request.node.name.encode())
    print(f"seed {seed}")
    return random.Random(seed)


def assert_same(database, table, log, rows=None, **modes):
    sides = both_sides(database, table, log, **modes)
    assert sides.selected.keys() == sides.logged.keys(), table
    assert rows is None or len(sides.selected) == rows
    for key, row in sides.selected.items():
        for name, value, other in zip(sides.names, row, sides.logged[key], strict=True):
            assert value == other, f"{table}.{name} of {key!r}"


@pytest.fixture(scope="module")
def every_type(mysql_server):
    """The tables of all types with all their edges, after inserts, updates and deletes; and the log of that."""
    name = "selecting_types"
    mysql_server.sql(f"DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4")
    database = Database(mysql_server, name)
    text = re.sub(r"CREATE DATABASE \w+[^;]*;|USE \w+;", "", TYPES.read_text())
    mysql_server.sql(text, name)
    yield database, database.log()
    mysql_server.sql(f"DROP DATABASE {name}")


@pytest.mark.parametrize("mode", MODES)
def test_every_type_with_its_edges(every_type, mode):
    database, log = every_type
    tables = database.tables()
    assert len(tables) > 15
    for table in tables:
        assert_same(database, table, log, **MODES[mode])


def test_on_a_server_without_row_metadata(mysql_minimal):
    name = "selecting_minimal"
    mysql_minimal.sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    database = Database(mysql_minimal, name)
    text = re.sub(r"CREATE DATABASE \w+[^;]*;|USE \w+;", "", TYPES.read_text())
    mysql_minimal.sql(text, name)
    log = database.log()
    for table in database.tables():
        assert_same(database, table, log)


@pytest.mark.parametrize("mode", ["defaults", "nanoseconds"])
def test_times_with_every_number_of_digits(mysql_server, database, request, mode):
    chance = chance_of(request)
    kinds = [(kind, digits) for digits in range(7) for kind in ("TIME", "DATETIME", "TIMESTAMP")]
    own = Database(mysql_server, database)
    columns = ", ".join(f"c{i} {kind}({digits}) NULL" for i, (kind, digits) in enumerate(kinds))
    rows = []
    for number in range(300):
        values = [str(number)]
        for kind, _ in kinds:
            fraction = chance.choice([0, 1, 500_000, 999_999, chance.randrange(10**6)])
            clock = f"{chance.randrange(24)}:{chance.randrange(60)}:{chance.randrange(60)}.{fraction:06d}"
            if kind == "TIME":
                hours = chance.choice([0, 1, 23, 24, 837])
                value = f"{chance.choice(['', '-'])}{hours}:{clock.partition(':')[2]}"
            else:
                low, high = (1, 9999) if kind == "DATETIME" else (1971, 2037)
                day = f"{chance.randint(low, high):04d}-{chance.randint(1, 12)}-{chance.randint(1, 28)}"
                value = chance.choice([f"{day} {clock}", day, "0000-00-00"])
            values.append(chance.choice(["NULL", f"'{value}'", f"'{value}'", f"'{value}'"]))
        rows.append(f"({', '.join(values)})")
    own.run(f"CREATE TABLE t (id INT PRIMARY KEY, {columns}); INSERT INTO t VALUES {', '.join(rows)}")
    assert_same(own, "t", own.log(), 300, **MODES[mode])


def test_dates_that_the_calendar_does_not_have(mysql_server, database):
    own = Database(mysql_server, database)
    own.run("CREATE TABLE t (d DATE, dt DATETIME(2), PRIMARY KEY (d, dt))")
    own.run("INSERT INTO t VALUES ('0000-00-00', '0000-00-00'), ('2023-02-31', '2023-02-30 01:02:03.04')")
    own.run(
        "INSERT INTO t VALUES ('2023-02-30', '2023-00-01'), ('2023-00-00', '2023-02-29'), ('2023-01-00', '0000-01-01')"
    )
    for mode in MODES.values():
        assert_same(own, "t", own.log(), 5, **mode)


@pytest.mark.parametrize(
    ("precision", "scale"), [(65, 30), (65, 0), (30, 30), (1, 0), (9, 4), (10, 1), (18, 9), (19, 18)]
)
def test_decimals(mysql_server, database, request, precision, scale):
    chance = chance_of(request)
    own = Database(mysql_server, database)
    rows = []
    for number in range(200):
        digits = str(chance.randrange(10 ** chance.randint(1, precision))).rjust(precision, "0")
        value = f"{chance.choice(['', '-'])}{digits[: precision - scale]}.{digits[precision - scale :]}"
        rows.append(f"({number}, {chance.choice([value, value, '0', 'NULL'])}, {value.lstrip('-')})")
    own.run(
        f"CREATE TABLE t (id INT PRIMARY KEY, d DECIMAL({precision},{scale}), z DECIMAL({precision},{scale}) ZEROFILL);"
        f"INSERT INTO t VALUES {', '.join(rows)}"
    )
    for mode in MODES.values():
        assert_same(own, "t", own.log(), 200, **mode)


@pytest.mark.parametrize("charset", TEXTS)
def test_text_in_a_character_set(mysql_server, database, charset):
    own = Database(mysql_server, database)
    own.run(
        f"CREATE TABLE t (k VARCHAR(40), c CHAR(20), v VARCHAR(300), x TEXT, e ENUM('a', '{TEXTS[charset]}'), "
        f"s SET('a', '{TEXTS[charset]}'), PRIMARY KEY (k)) CHARACTER SET {charset}"
    )
    text = TEXTS[charset]
    own.run(
        f"INSERT INTO t VALUES ('{text}', '{text} ', '{text}', REPEAT('{text}', 500), 2, 3), ('', '', '', '', 1, 0)"
    )
    own.run(
        "INSERT INTO t VALUES ('plain', 'plain', 'plain', 'plain', 'nonsense', 'nonsense'), ('n', NULL, NULL, NULL, NULL, NULL)"
    )
    assert_same(own, "t", own.log(), 4)


KEYS = {
    "INT": [1, -1, 2**31 - 1], "TINYINT UNSIGNED": [0, 255], "MEDIUMINT": [-(2**23), 5],
    "BIGINT UNSIGNED": [0, 2**64 - 1, 2**63], "BIGINT": [-(2**63), 2**63 - 1], "YEAR": [0, 1901, 2155],
    "DECIMAL(65,30)": ["-1.5", "0", "99999999999999999999999999999999999.999999999999999999999999999999"],
    "DECIMAL(9,2)": ["-0.01", "1234567.89"], "FLOAT": ["-1.5", "0", "3e38"], "DOUBLE": ["-1e300", "0", "5e-324"],
    "DATE": ["0000-00-00", "2023-02-31", "9999-12-31"], "DATETIME": ["0000-00-00", "1000-01-01 01:02:03"],
    "DATETIME(6)": ["2024-02-29 01:02:03.000001", "2024-02-29 01:02:03.000002"], "TIMESTAMP(3)": ["2024-02-29 01:02:03.5"],
    "TIME(2)": ["-838:59:58.99", "-00:00:00.01", "00:00:00", "00:00:00.01"], "TIME": ["-01:00:00", "01:00:00"],
    "BIT(1)": [0, 1], "BIT(64)": [0, 2**64 - 1], "ENUM('a','b')": ["a", "b", "nonsense"], "SET('a','b','c')": ["", "a,c"],
    "CHAR(5) CHARACTER SET utf16": ["a", "é"], "VARCHAR(50) COLLATE utf8mb4_0900_ai_ci": ["a", "b", "ж"],
    "VARCHAR(50) CHARACTER SET latin1": ["é", ""], "BINARY(5)": ["a", "a\x01"], "VARBINARY(300)": ["a", "b", "b " * 30],
}  # fmt: skip


def test_key_bytes_of_every_type_that_a_key_may_have(mysql_server, database):
    own = Database(mysql_server, database)
    for number, (kind, values) in enumerate(KEYS.items()):
        shown = ", ".join(f"({v!r})" for v in values)
        own.run(f"CREATE TABLE t{number} (k {kind} PRIMARY KEY); INSERT INTO t{number} VALUES {shown}")
    log = own.log()
    for number, values in enumerate(KEYS.values()):
        assert_same(own, f"t{number}", log, len(values))


def test_a_key_of_many_columns_keeps_its_order_and_a_prefix_key_has_the_whole_value(mysql_server, database):
    own = Database(mysql_server, database)
    own.run("CREATE TABLE t (a INT, x TEXT, b VARCHAR(20), c DATE, v BLOB, PRIMARY KEY (c, b(3), a, x(5)))")
    own.run("INSERT INTO t VALUES (1, 'abcdefgh', 'long value', '2024-01-01', 'v'), (2, '', '', '0000-00-00', NULL)")
    own.run("UPDATE t SET a = 7, x = 'other' WHERE a = 1")
    assert_same(own, "t", own.log(), 2)


def test_columns_that_are_generated_or_invisible(mysql_server, database):
    own = Database(mysql_server, database)
    own.run(
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, s VARCHAR(20) AS (CONCAT('s', a)) STORED, v BIGINT AS (a * 2) VIRTUAL, "
        "h INT INVISIBLE DEFAULT 7, `odd ``name` TINYINT UNSIGNED, j JSON AS (JSON_OBJECT('a', a)) VIRTUAL)"
    )
    own.run("INSERT INTO t (id, a, h, `odd ``name`) VALUES (1, 2, 3, 4), (2, NULL, NULL, NULL)")
    assert_same(own, "t", own.log(), 2)


def test_random_rows_of_many_columns(mysql_server, database, request):
    chance = chance_of(request)
    own = Database(mysql_server, database)
    kinds = [
        chance.choice(["INT", "VARCHAR(300)", "BLOB", "DECIMAL(12,2)", "DATETIME(3)", "BIT(9)"]) for _ in range(70)
    ]
    own.run(f"CREATE TABLE t (id INT PRIMARY KEY, {', '.join(f'c{i} {kind}' for i, kind in enumerate(kinds))})")
    values = {
        "INT": lambda: chance.randint(-(2**31), 2**31 - 1), "VARCHAR(300)": lambda: "x" * chance.choice([0, 12, 13, 250, 251, 300]),
        "BLOB": lambda: "y" * chance.choice([0, 250, 251, 70_000]), "DECIMAL(12,2)": lambda: str(chance.uniform(-1e9, 1e9)),
        "DATETIME(3)": lambda: f"20{chance.randint(10, 99)}-01-02 03:04:05.{chance.randrange(1000):03d}",
        "BIT(9)": lambda: chance.randrange(512),
    }  # fmt: skip
    for number in range(60):
        row = [repr(values[kind]()) if chance.random() < 0.8 else "NULL" for kind in kinds]
        own.run(f"INSERT INTO t VALUES ({number}, {', '.join(row)})")
    assert_same(own, "t", own.log(), 60)
