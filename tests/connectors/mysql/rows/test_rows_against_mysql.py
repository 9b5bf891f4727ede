# ruff: noqa: DTZ001 -- MySQL's times have no zone; chance is no secret
"""Rows that a real server wrote, against what it selects."""

import datetime as dt
import json
import random
import struct
import zlib
from decimal import Decimal

import pytest
from make_charset_tables import SINGLE_BYTE, characters
from row_events import Events, dumped, events_of

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.rows.charset_tables import UPPER_HALVES
from tailrace.connectors.mysql.rows.charsets import CODECS
from tailrace.errors import LogFormatError

pytestmark = pytest.mark.mysql


class Log:
    """A table, and the log of what was done to it."""

    def __init__(self, server, database: str) -> None:
        self.database = database
        self.server = server
        self.connection = server.connect(database)
        self.cursor = self.connection.cursor()
        self.cursor.execute("SET sql_mode = '', time_zone = '+00:00'")
        self.cursor.execute("FLUSH BINARY LOGS")
        self.cursor.execute("SHOW BINARY LOG STATUS")
        self.file = self.cursor.fetchone()[0]

    def run(self, statement: str, *arguments) -> list[tuple]:
        self.cursor.execute(statement, arguments or None)
        return list(self.cursor.fetchall())

    def insert(self, table: str, rows: list) -> None:
        marks = ", ".join(["%s"] * len(rows[0]))
        self.cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def events(self, table: str = "t") -> Events:
        dumper = self.server.connect()
        try:
            return events_of(dumped(dumper, self.file), self.database, table)
        finally:
            dumper._force_close()

    def decoded(self, *plans: ColumnPlan, table: str = "t") -> list[tuple]:
        images = self.events(table).decode(plans)
        return list(zip(*(v.to_arrow().to_pylist() for v in images.vectors), strict=True))


@pytest.fixture
def log(mysql_server, database):
    log = Log(mysql_server, database)
    yield log
    log.connection.close()


@pytest.fixture
def chance(request):
    """Random numbers, the same each time for a test; a failing test shows its seed."""
    seed = zlib.crc32(request.node.name.encode())
    print(f"seed {seed}")
    return random.Random(seed)


def some(chance, value):
    return None if chance.random() < 0.1 else value


def test_integers_of_every_type(log, chance):
    types = [("TINYINT", 1), ("SMALLINT", 2), ("MEDIUMINT", 3), ("INT", 4), ("BIGINT", 8)]
    columns = [(name, width, unsigned) for name, width in types for unsigned in (False, True)]
    log.run(
        f"CREATE TABLE t ({', '.join(f'c{i} {n} ' + 'UNSIGNED' * u for i, (n, _, u) in enumerate(columns))})"
    )
    rows = []
    for _ in range(300):
        low = [0 if u else -(1 << 8 * w - 1) for _, w, u in columns]
        edges = [[a, a + (1 << 8 * w) - 1, 0, 1] for a, (_, w, _) in zip(low, columns, strict=True)]
        rows.append([some(chance, chance.choice([*e, chance.randint(e[0], e[1])])) for e in edges])
    log.insert("t", rows)
    plans = [
        ColumnPlan(Storage.INT, w, Out.DECIMAL_TEXT if u and w == 8 else Out.INT, unsigned=u)
        for _, w, u in columns
    ]
    found = [[*row[:-1], None if row[-1] is None else int(row[-1])] for row in log.decoded(*plans)]
    assert found == rows


@pytest.mark.parametrize("out", [Out.DECIMAL_TEXT, Out.UNSCALED, Out.FLOAT64])
def test_decimals_of_many_sizes(log, chance, out):
    sizes = [
        (1, 0),
        (1, 1),
        (5, 2),
        (9, 9),
        (10, 0),
        (12, 2),
        (18, 9),
        (19, 10),
        (27, 18),
        (38, 5),
        (65, 0),
        (65, 30),
    ]
    log.run(f"CREATE TABLE t ({', '.join(f'c{i} DECIMAL({p},{s})' for i, (p, s) in enumerate(sizes))})")
    rows = []
    for _ in range(200):
        unscaled = [
            chance.randint(0, 10 ** chance.randint(0, p) - 1) * chance.choice([1, -1]) for p, _ in sizes
        ]
        rows.append(
            [
                some(chance, f"{Decimal(u).scaleb(-s, None):f}")
                for u, (_, s) in zip(unscaled, sizes, strict=True)
            ]
        )
    log.insert("t", rows)
    expected = [list(row) for row in log.run("SELECT * FROM t")]
    found = [list(row) for row in log.decoded(*(ColumnPlan(Storage.DECIMAL, p << 8 | s, out) for p, s in sizes))]
    convert = {
        Out.DECIMAL_TEXT: lambda value, _: f"{value:f}",
        Out.UNSCALED: lambda value, scale: int(f"{value:f}".replace(".", "")),
        Out.FLOAT64: lambda value, _: float(f"{value:f}"),
    }[out]
    for wanted, row in zip(expected, found, strict=True):
        for value, got, (_, scale) in zip(wanted, row, sizes, strict=True):
            number = int.from_bytes(got, "big", signed=True) if isinstance(got, bytes) else got
            assert number == (None if value is None else convert(value, scale))


def test_dates_and_times_with_every_number_of_digits(log, chance):
    kinds = [(k, d) for d in range(7) for k in ("TIME", "DATETIME", "TIMESTAMP")]
    log.run(
        f"CREATE TABLE t (d DATE, y YEAR, {', '.join(f'c{i} {k}({d}) NULL' for i, (k, d) in enumerate(kinds))})"
    )
    rows = []
    for _ in range(200):
        moment = dt.datetime(1000, 1, 1) + dt.timedelta(
            seconds=chance.randrange(283_000_000_000), microseconds=chance.randrange(10**6)
        )
        stamp = dt.datetime(1970, 1, 2) + dt.timedelta(
            seconds=chance.randrange(2**31 - 10**6), microseconds=chance.randrange(10**6)
        )
        seconds = chance.randrange(-3020398, 3020398)
        time = f"{'-' if seconds < 0 else ''}{abs(seconds) // 3600}:{abs(seconds) // 60 % 60}:{abs(seconds) % 60}.{chance.randrange(10**6):06d}"
        values = {"TIME": time, "DATETIME": str(moment), "TIMESTAMP": str(stamp)}
        rows.append(
            [
                some(chance, v)
                for v in (
                    str(moment.date()),
                    chance.choice([0, 1901, 2155, 2024]),
                    *(values[k] for k, _ in kinds),
                )
            ]
        )
    log.insert("t", rows)
    selected = log.run(
        "SELECT CONCAT(d, 'Z'), IF(y = 0, 1900, y), "
        + ", ".join(
            f"CAST(TIME_TO_SEC(c{i}) * 1000000 + IF(c{i} < 0, -1, 1) * MICROSECOND(c{i}) AS SIGNED)" if k == "TIME"
            else f"CONCAT(REPLACE(c{i}, ' ', 'T'), 'Z')" if k == "TIMESTAMP"
            else f"TIMESTAMPDIFF(MICROSECOND, '1970-01-01', c{i})"
            for i, (k, _) in enumerate(kinds)
        )
        + " FROM t"
    )  # fmt: skip
    wires = {
        "TIME": (Storage.TIME2, Out.MICROS),
        "DATETIME": (Storage.DATETIME2, Out.MICROS),
        "TIMESTAMP": (Storage.TIMESTAMP2, Out.ZONED),
    }
    plans = [ColumnPlan(wires[k][0], d, wires[k][1]) for k, d in kinds]
    assert log.decoded(ColumnPlan(Storage.DATE, 0, Out.ISO), ColumnPlan(Storage.YEAR), *plans) == selected


def test_zero_dates_are_null(log):
    log.run("CREATE TABLE t (a DATE, b DATETIME(3), c TIMESTAMP NULL, d DATE)")
    log.run("SET sql_mode = 'ALLOW_INVALID_DATES'")
    log.run(
        "INSERT INTO t VALUES ('0000-00-00', '0000-00-00', '0000-00-00', '2023-02-31'), ('2024-00-01', '2024-01-00', NULL, '2024-02-29')"
    )
    plans = [
        ColumnPlan(Storage.DATE, 0, Out.ISO),
        ColumnPlan(Storage.DATETIME2, 3, Out.MILLIS),
        ColumnPlan(Storage.TIMESTAMP2, 0, Out.ZONED),
        ColumnPlan(Storage.DATE, 0, Out.ISO),
    ]
    assert log.decoded(*plans) == [(None, None, None, None), (None, None, None, "2024-02-29Z")]


def test_floats_enums_sets_and_bits(log, chance):
    log.run(
        "CREATE TABLE t (f FLOAT, d DOUBLE, e ENUM('a','b,c','é') CHARACTER SET latin1, s SET('x','y','zz'), b1 BIT(1), b BIT(33))"
    )
    for _ in range(50):
        log.run("INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s)", *(some(chance, v) for v in (
            chance.uniform(-1e9, 1e9), chance.uniform(-1e300, 1e300), chance.choice(["a", "b,c", "é"]),
            chance.choice(["", "x", "x,zz", "x,y,zz"]), chance.randrange(2), chance.randrange(1 << 33))))  # fmt: skip
    plans = [
        ColumnPlan(Storage.FLOAT, 4, Out.FLOAT64), ColumnPlan(Storage.DOUBLE, 8, Out.FLOAT64),
        ColumnPlan(Storage.ENUM, 1, Out.TEXT, labels=(b"a", b"b,c", "é".encode())),
        ColumnPlan(Storage.SET, 1, Out.TEXT, labels=(b"x", b"y", b"zz")),
        ColumnPlan(Storage.BIT, 1, Out.BIT_BOOL), ColumnPlan(Storage.BIT, 33, Out.BIT_BYTES),
    ]  # fmt: skip
    expected = log.run("SELECT CAST(f AS DOUBLE), d, e, s, b1 = 1, REVERSE(CAST(b AS BINARY(5))) FROM t")
    assert [(*r[:4], None if r[4] is None else int(r[4]), r[5]) for r in log.decoded(*plans)] == expected


TEXT_TYPES = ["CHAR(20)", "VARCHAR(40)", "VARCHAR(300)", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT"]
PREFIXES = [1, 1, 2, 1, 2, 3, 4]


def test_text_and_binary_of_every_length_prefix(log, chance):
    log.run(
        f"CREATE TABLE t ({', '.join(f'c{i} {t} CHARACTER SET ascii' for i, t in enumerate(TEXT_TYPES))}, b BINARY(20), v VARBINARY(300), bl BLOB)"
    )
    for _ in range(100):
        texts = [
            some(chance, "".join(chance.choices("abcxyz ", k=chance.randrange(20))) + "!") for _ in TEXT_TYPES
        ]
        log.run(
            f"INSERT INTO t VALUES ({', '.join(['%s'] * 10)})",
            *texts,
            *(
                some(chance, chance.randbytes(chance.randrange(20)) + b"\0" * chance.randrange(3))
                for _ in range(3)
            ),
        )
    texts = [ColumnPlan(Storage.STRING, p, Out.TEXT, charset="ascii") for p in PREFIXES]
    binary = [
        ColumnPlan(Storage.STRING, 1, Out.BYTES, charset="binary", pad=20),
        *(ColumnPlan(Storage.STRING, 2, Out.BYTES, charset="binary") for _ in range(2)),
    ]
    assert log.decoded(*texts, *binary) == log.run("SELECT * FROM t")


@pytest.mark.parametrize("charset", SINGLE_BYTE)
def test_the_table_of_a_single_byte_set_is_the_servers(log, charset):
    known = characters(log.cursor, charset)
    assert (known if charset == "swe7" else known[128:]) == UPPER_HALVES[charset]


@pytest.mark.parametrize("charset", [*SINGLE_BYTE, "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32"])
def test_text_in_a_character_set_is_what_the_server_selects(log, chance, charset):
    if charset in UPPER_HALVES:
        letters = [c for c in characters(log.cursor, charset) if c != "\ufffd"]
    else:
        letters = [chr(c) for c in [*range(1, 0xD800, 37), *range(0xE000, 0xFFFD, 37)]]
        letters += [] if charset in ("utf8mb3", "ucs2") else [chr(c) for c in range(0x10000, 0x10FFFF, 997)]
    log.run(f"CREATE TABLE t (v VARCHAR(200), x TEXT) CHARACTER SET {charset}")
    log.insert(
        "t",
        [["".join(chance.choices(letters, k=chance.randrange(60))) for _ in range(2)] for _ in range(100)],
    )
    plans = [
        ColumnPlan(Storage.STRING, 2 if chance_width(charset) > 1 else 1, Out.TEXT, charset=charset),
        ColumnPlan(Storage.STRING, 2, Out.TEXT, charset=charset),
    ]
    assert log.decoded(*plans) == log.run("SELECT * FROM t")


def chance_width(charset):
    """How many bytes a character takes at most."""
    return {"utf8mb3": 3, "utf8mb4": 4, "ucs2": 2, "utf16": 4, "utf16le": 4, "utf32": 4}.get(charset, 1)


# Characters that the server turns into U+FFFD (big5) or a backslash (sjis, ujis), and Java and Python into themselves.
KNOWN_DIFFERENCES = {"big5": 7, "sjis": 1, "ujis": 1}


@pytest.mark.parametrize("charset", sorted(CODECS))
def test_every_character_of_a_multi_byte_set_is_the_servers(log, charset):
    log.run(f"CREATE TABLE t (v VARCHAR(20) CHARACTER SET {charset})")
    sequences = [bytes([a, b]) for a in range(0x81, 0xFF) for b in range(0x30, 0xFF)]
    if charset in ("ujis", "eucjpms"):
        sequences += [bytes([0x8F, a, b]) for a in range(0xA1, 0xFF) for b in range(0xA1, 0xFF)]
    if charset == "gb18030":
        sequences += [
            bytes([a, b, c, 0x30 + c % 10])
            for a in (0x81, 0x84, 0x90, 0xE3)
            for b in range(0x30, 0x3A)
            for c in range(0x81, 0xFF, 5)
        ]
    for i in range(0, len(sequences), 5000):
        rows = ", ".join(f"ROW(x'{s.hex()}')" for s in sequences[i : i + 5000])
        log.run(
            f"INSERT INTO t SELECT CONVERT(column_0 USING {charset}) FROM (VALUES {rows}) r "
            f"WHERE CHAR_LENGTH(CONVERT(CONVERT(column_0 USING {charset}) USING utf8mb4)) = 1"
            f" AND CONVERT(CONVERT(column_0 USING {charset}) USING utf8mb4) <> '?'"
        )
    found = log.decoded(ColumnPlan(Storage.STRING, 1, Out.TEXT, charset=charset))
    pairs = list(zip(found, log.run("SELECT CONVERT(v USING utf8mb4) FROM t"), strict=True))
    different = [(f[0], e[0]) for f, e in pairs if f != e]
    assert len(pairs) > 5000
    assert len(different) <= KNOWN_DIFFERENCES.get(charset, 0), different[:20]


def tree(chance, depth=0):
    kind = chance.randrange(9 if depth < 4 else 7)
    scalars = [None, chance.random() < 0.5, chance.randrange(-(1 << 15), 1 << 15), chance.randrange(-(1 << 62), 1 << 62),
               chance.uniform(-1e4, 1e4), chance.choice([1e-5, 1e300, -2.5e20, 1.0]), 'ä\n"x\\' * chance.randrange(60)]  # fmt: skip
    if kind < 7:
        return scalars[kind]
    if kind == 7:
        return [tree(chance, depth + 1) for _ in range(chance.randrange(6))]
    return {
        "k" * chance.randrange(1, 9) + str(i): tree(chance, depth + 1) for i in range(chance.randrange(6))
    }


def test_json_is_what_the_server_selects(log, chance):
    log.run("CREATE TABLE t (j JSON)")
    documents = [some(chance, json.dumps(tree(chance))) for _ in range(200)]
    documents += [
        json.dumps({str(i): ["x" * 500, i] for i in range(300)}),
        json.dumps(list(range(40000, 60000))),
    ]
    log.insert("t", [[d] for d in documents])
    found = [row[0] for row in log.decoded(ColumnPlan(Storage.JSON, 4, Out.TEXT))]
    for (wanted,), got in zip(log.run("SELECT j FROM t"), found, strict=True):
        assert (wanted is None) == (got is None)
        assert wanted is None or json.loads(got) == json.loads(wanted)
        assert wanted is None or list(_keys(json.loads(got))) == list(_keys(json.loads(wanted)))


def _keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


def test_values_of_mysql_types_in_json(log):
    log.run("CREATE TABLE t (j JSON)")
    log.run(
        "INSERT INTO t VALUES (JSON_OBJECT('d', CAST(-12.50 AS DECIMAL(10,2)), 'date', DATE'2024-02-29', 'dt', "
        "TIMESTAMP'2024-02-29 01:02:03.120000', 't', TIME'-13:01:02.5', 'b', x'00ff', 'u', CAST(4294967295 AS UNSIGNED), "
        "'uu', CAST(18446744073709551615 AS UNSIGNED)))"
    )
    ((text,),) = log.decoded(ColumnPlan(Storage.JSON, 4, Out.TEXT))
    assert text == (
        '{"b":"AP8=","d":-12.50,"t":"-13:01:02.5","u":4294967295,"dt":"2024-02-29 01:02:03.12",'
        '"uu":18446744073709551615,"date":"2024-02-29"}'
    )


def test_geometries_and_vectors(log):
    log.run("CREATE TABLE t (p POINT, g GEOMETRY, l LINESTRING SRID 3857, v VECTOR(3))")
    log.run(
        "INSERT INTO t VALUES (ST_GeomFromText('POINT(52.1 4.3)', 4326), ST_GeomFromText('POINT(1 2)'), "
        "ST_GeomFromText('LINESTRING(0 0,1 1)', 3857), TO_VECTOR('[1.5,-2,0.1]')), (NULL, NULL, NULL, NULL)"
    )
    plans = [
        ColumnPlan(Storage.GEOMETRY, 4, Out.POINT), *[ColumnPlan(Storage.GEOMETRY, 4, Out.GEOMETRY)] * 2,
        ColumnPlan(Storage.VECTOR, 4, Out.FLOATS),
    ]  # fmt: skip
    first, second = log.decoded(*plans)
    assert (first[0]["x"], first[0]["y"], first[0]["srid"]) == (4.3, 52.1, 4326)
    assert first[1] == {"wkb": struct.pack("<BIdd", 1, 1, 1, 2), "srid": None}
    assert first[2]["srid"] == 3857
    assert first[3] == [1.5, -2.0, struct.unpack("<f", struct.pack("<f", 0.1))[0]]
    assert second == (None,) * 4


@pytest.mark.parametrize("mode", ["MINIMAL", "NOBLOB"])
def test_partial_images_say_what_is_missing(log, mode):
    log.run("CREATE TABLE t (id INT PRIMARY KEY, a INT, b TEXT)")
    log.run(f"SET SESSION binlog_row_image = '{mode}'")
    log.run("INSERT INTO t VALUES (1, 2, 'x')")
    log.run("UPDATE t SET a = 3")
    log.run("DELETE FROM t")
    images = log.events().decode(
        [
            ColumnPlan(Storage.INT, 4),
            ColumnPlan(Storage.INT, 4),
            ColumnPlan(Storage.STRING, 2, Out.TEXT, charset="utf8mb4"),
        ]
    )
    columns = [v.to_arrow().to_pylist() for v in images.vectors]
    missing = [
        [bool(images.missing[c][0] >> i & 1) if c in images.missing else False for i in range(4)]
        for c in range(3)
    ]
    seen = [
        [("-" if gone else value) for value, gone in zip(values, lost, strict=True)]
        for values, lost in zip(columns, missing, strict=True)
    ]
    assert (
        seen
        == {
            "MINIMAL": [[1, 1, "-", 1], [2, "-", 3, "-"], ["x", "-", "-", "-"]],
            "NOBLOB": [[1, 1, 1, 1], [2, 2, 3, 3], ["x", "-", "-", "-"]],
        }[mode]
    )


def test_partial_updates_of_json_are_applied_to_the_document_before(log, chance):
    log.run("CREATE TABLE t (id INT PRIMARY KEY, a JSON, n INT, b JSON)")
    log.run("SET SESSION binlog_row_value_options = 'PARTIAL_JSON'")
    big = json.dumps(
        {"name": "x" * 100, "list": [1, 2.50, {"k": "v\t\x01"}], "odd key": {"n": 1e300}, "zz": 1}
    )
    log.run("INSERT INTO t VALUES (1, %s, 0, %s), (2, %s, 0, NULL)", big, big, big)
    statements = [
        "a = JSON_SET(a, '$.name', 'short')",
        "a = JSON_SET(a, '$.list[1]', CAST(2.75 AS DECIMAL(5,2)), '$.aa', JSON_ARRAY(1, 2))",
        "a = JSON_REMOVE(a, '$.list[0]'), n = n + 1",
        "b = JSON_REPLACE(b, '$.\"odd key\".n', 5), a = JSON_SET(a, '$.list[0]', 'y')",
        "a = JSON_ARRAY_APPEND(a, '$.list', 7)",
        'a = JSON_SET(a, \'$."a \\\\"quoted\\\\" key"\', TRUE)',
        "n = n + 1",
    ]
    selected = []
    for statement in statements:
        log.run(f"UPDATE t SET {statement}")
        selected += log.run("SELECT a, n, b FROM t ORDER BY id")
    events = log.events()
    assert 39 in events.types
    doc, number = ColumnPlan(Storage.JSON, 4, Out.TEXT), ColumnPlan(Storage.INT, 4)
    images = events.decode([number, doc, number, doc])
    columns = [v.to_arrow().to_pylist() for v in images.vectors]
    after = [[column[i] for column in columns[1:]] for i in images.after[2:]]
    assert [[_tree(a), n, _tree(b)] for a, n, b in after] == [[_tree(a), n, _tree(b)] for a, n, b in selected]
    assert all(" " not in a.replace("odd key", "").replace('a \\"quoted\\" key', "") for a, _, _ in after)


def _tree(text):
    """With the keys of objects in their order."""
    return None if text is None else json.loads(text, object_pairs_hook=list, parse_int=float)


def test_a_partial_update_without_the_document_before_stops_with_its_place(log):
    log.run("CREATE TABLE t (id INT PRIMARY KEY, a JSON)")
    log.run("SET SESSION binlog_row_value_options = 'PARTIAL_JSON', binlog_row_image = 'MINIMAL'")
    log.run("INSERT INTO t VALUES (1, JSON_OBJECT('name', REPEAT('x', 100), 'other', REPEAT('y', 100)))")
    log.run("UPDATE t SET a = JSON_SET(a, '$.name', 'short')")
    with pytest.raises(LogFormatError, match="partial update of JSON"):
        log.decoded(ColumnPlan(Storage.INT, 4), ColumnPlan(Storage.JSON, 4, Out.TEXT))
