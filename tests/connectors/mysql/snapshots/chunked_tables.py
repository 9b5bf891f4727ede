"""Tables with keys of all kinds, and random values for them, for the tests of chunks."""

import json

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.snapshots.bounds import bound_of_row, expressions
from tailrace.connectors.mysql.snapshots.keys import keys_of
from tailrace.connectors.mysql.snapshots.statements import prepare
from tailrace.schema.tables import TableId


def quoted_hex(charset, data):
    return f"_{charset} X'{data.hex()}'"


def number(low, high):
    return lambda random: str(random.choice([low, high, random.randint(low, high), random.randint(0, 9)]))


def text(charset, alphabet, codec):
    def value(random):
        chosen = "".join(random.choices(alphabet, k=random.randint(0, 5)))
        return quoted_hex(charset, chosen.encode(codec))

    return value


def code_page_932(random):
    """Also characters that have two codes, which no other encoding tells apart."""
    pieces = [b"a", b"B", b" ", b"\xb1", b"\x81\xe6", b"\x87\x9a", b"\x88\x9f", b"\xed\x40", b"\xfa\x5c", b"\x83\x41"]
    return quoted_hex("cp932", b"".join(random.choices(pieces, k=random.randint(0, 4))))


def moment(fraction):
    def value(random):
        day = f"{random.choice([1000, 1999, 2024, 9999])}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"
        clock = f"{random.randint(0, 23):02d}:{random.randint(0, 59):02d}:{random.randint(0, 59):02d}"
        usual = f"'{day} {clock}.{random.randint(0, 10**fraction - 1):0{fraction}d}'"
        return random.choice([usual, usual, usual, "'0000-00-00 00:00:00'", "'2024-02-30 00:00:00'", "'2024-00-00'"])

    return value


def timestamp(random):
    usual = f"FROM_UNIXTIME({random.randint(1, 2**31 - 1)}.{random.randint(0, 999):03d})"
    return random.choice([usual, usual, usual, "'0000-00-00 00:00:00'"])


def day(random):
    usual = f"'{random.randint(1, 9999):04d}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}'"
    return random.choice([usual, usual, usual, "'0000-00-00'", "'2023-02-31'", "'2023-05-00'"])


def time(random):
    sign = random.choice(["", "-"])
    return (
        f"'{sign}{random.randint(0, 838)}:{random.randint(0, 59)}:{random.randint(0, 59)}.{random.randint(0, 99):02d}'"
    )


LETTERS = "aAbBzZäÄßéE1 _-"
WIDE_LETTERS = LETTERS + "日本あア😀"

KINDS = {
    "tinyint": ("TINYINT", number(-128, 127)),
    "mediumint": ("MEDIUMINT UNSIGNED", number(0, 2**24 - 1)),
    "bigint": ("BIGINT", number(-(2**63), 2**63 - 1)),
    "bigint_unsigned": ("BIGINT UNSIGNED", number(0, 2**64 - 1)),
    "year": ("YEAR", lambda random: str(random.choice([0, random.randint(1901, 2155)]))),
    "bit": ("BIT(10)", number(0, 1023)),
    "enum": ("ENUM('z', 'a', 'it''s', 'B', 'é')", number(1, 5)),
    "decimal": ("DECIMAL(30, 4)", lambda random: f"{random.randint(-(10**26), 10**26)}.{random.randint(0, 9999):04d}"),
    "date": ("DATE", day),
    "datetime": ("DATETIME(6)", moment(6)),
    "datetime_whole": ("DATETIME", moment(1)),
    "timestamp": ("TIMESTAMP(3)", timestamp),
    "time": ("TIME(2)", time),
    "binary": ("BINARY(4)", lambda random: f"X'{random.randbytes(random.randint(0, 4)).hex()}'"),
    "varbinary": (
        "VARBINARY(4)",
        lambda random: f"X'{random.choice([b'', b'a', b'a ', b'a' + random.randbytes(3)]).hex()}'",
    ),
    "utf8mb4_0900_ai_ci": (
        "VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
        text("utf8mb4", WIDE_LETTERS, "utf-8"),
    ),
    "utf8mb4_bin": ("VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", text("utf8mb4", WIDE_LETTERS, "utf-8")),
    "utf8mb4_general_ci": (
        "VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        text("utf8mb4", WIDE_LETTERS, "utf-8"),
    ),
    "char_general_ci": ("CHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", text("utf8mb4", LETTERS, "utf-8")),
    "latin1_swedish_ci": ("VARCHAR(9) CHARACTER SET latin1", text("latin1", LETTERS, "latin-1")),
    "cp932_japanese_ci": ("VARCHAR(9) CHARACTER SET cp932", code_page_932),
    "utf16_general_ci": ("VARCHAR(9) CHARACTER SET utf16", text("utf16", WIDE_LETTERS, "utf-16-be")),
    "utf16le_general_ci": ("VARCHAR(9) CHARACTER SET utf16le", text("utf16le", LETTERS, "utf-16-le")),
}
KEYS = {
    **{name: (name,) for name in KINDS},
    "two_numbers": ("tinyint", "bigint_unsigned"),
    "number_text_day": ("tinyint", "utf8mb4_0900_ai_ci", "date"),
    "text_first": ("utf8mb4_general_ci", "tinyint", "varbinary"),
    "enum_within": ("tinyint", "enum", "cp932_japanese_ci"),
    "days_first": ("date", "time"),
}


def filled(connection, database, key, random, count=60):
    """A table with that key and about so many rows; its id."""
    kinds = KEYS[key]
    columns = ", ".join(f"`k {i}` {KINDS[kind][0]} NOT NULL" for i, kind in enumerate(kinds))
    names = ", ".join(f"`k {i}`" for i in range(len(kinds)))
    rows(connection, f"CREATE TABLE {database}.`t``1` (v INT, {columns}, PRIMARY KEY ({names}), KEY (v))")
    values = [", ".join(KINDS[kind][1](random) for kind in kinds) for _ in range(count)]
    made = ", ".join(f"({i % 7}, {value})" for i, value in enumerate(values))
    rows(connection, f"INSERT IGNORE INTO {database}.`t``1` VALUES {made}")
    rows(connection, f"ANALYZE TABLE {database}.`t``1`")
    return TableId(database, "", "t`1")


class Chunked:
    """A filled table, its key, and its rows' bounds in the server's order."""

    def __init__(self, connection, database, key, random, count=60):
        prepare(connection)
        self.connection = connection
        self.server = catalog.server(connection)
        self.table = filled(connection, database, key, random, count)
        self.key = keys_of(connection, self.server, [self.table])[self.table]
        names = ", ".join(catalog.quoted(name) for name in self.key.names)
        sql = f"SELECT {', '.join(expressions(self.key))} FROM {database}.`t``1` ORDER BY {names}"
        self.bounds = [through_json(bound_of_row(self.key, row)) for row in rows(connection, sql)]

    def read(self, sql):
        return [through_json(bound_of_row(self.key, row)) for row in rows(self.connection, sql)]

    def explained(self, sql):
        with self.connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN FORMAT=TRADITIONAL {sql}")
            return dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))


def through_json(bound):
    return json.loads(json.dumps(bound))
