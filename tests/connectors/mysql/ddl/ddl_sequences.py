"""Random DDL that a server takes, mostly: hypothesis strategies that know which tables and columns there are."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

Tables = Mapping[str, Sequence[str]]  # the columns of each table

COLUMNS = ["a", "b", "C", "d", "e f", "sélect", "key", "1st", "back`tick", "order"]
TABLES = ["t1", "T2", "t 3", "select"]
CHARSETS = ["utf8mb4", "latin1", "utf8mb3", "ucs2", "binary"]
COLLATIONS = ["utf8mb4_bin", "latin1_swedish_ci", "utf8mb4_0900_ai_ci", "ascii_general_ci"]

COMMENTS = [
    "-- a\n", "--\n", "-- a\n--\n", "--\r\n", "--\t--\n", "--\x01\n", "#\n", "# it's\n", "/**/", "/* a; -- b */ ", "/*!*/", "/*! */",
    "/*!50000 */", "\n\t ",
]  # fmt: skip

names = st.sampled_from(COLUMNS)
cases = st.sampled_from([str, str.swapcase])
tables = st.sampled_from(TABLES)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


text_suffixes = st.one_of(
    st.just(""),
    st.sampled_from([f" CHARACTER SET {c}" for c in CHARSETS[:4]]),
    st.sampled_from([f" COLLATE {c}" for c in COLLATIONS]),
    st.sampled_from([f" CHARSET '{c}'" for c in CHARSETS[:2]]),
    st.sampled_from([" ASCII", " UNICODE", " BINARY", " CHARACTER SET latin1 BINARY"]),
)
NUMBERS = [
    "INT", "INTEGER", "TINYINT", "TINYINT(1)", "SMALLINT(5)", "MEDIUMINT", "BIGINT", "INT8", "MIDDLEINT", "BOOL",
    "BOOLEAN", "INT UNSIGNED", "BIGINT(20) UNSIGNED ZEROFILL", "INT(3) ZEROFILL", "INT SIGNED", "DECIMAL", "DEC(7)",
    "NUMERIC(10, 2)", "FIXED(12,4) UNSIGNED", "FLOAT", "FLOAT(7,3)", "DOUBLE", "DOUBLE PRECISION", "REAL", "FLOAT8",
]  # fmt: skip
OTHERS = [
    "DATE", "TIME", "TIME(3)", "DATETIME", "DATETIME(6)", "TIMESTAMP NULL", "YEAR", "BIT", "BIT(9)", "JSON",
    "BINARY", "BINARY(0)", "BINARY(4)", "VARBINARY(20)", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "LONG VARBINARY", "POINT",
    "GEOMETRY", "LINESTRING SRID 4326", "GEOMETRYCOLLECTION", "MULTIPOLYGON", "CHAR(5) BYTE",
]  # fmt: skip
TEXTS = [
    "CHAR", "CHAR(7)", "CHARACTER(3)", "VARCHAR(20)", "CHARACTER VARYING(9)", "TINYTEXT", "TEXT", "MEDIUMTEXT",
    "LONGTEXT", "LONG VARCHAR", "LONG", "ENUM('a', 'it''s', 'b\\\\c', \"q\")", "SET('x','y,','z')",
    r"""ENUM('a  ', "it\'s", "q""q", "q\"")""", r"""SET("x\'", 'y ', ' z')""", "ENUM(b'01100001', x'62', 0x63)",
]  # fmt: skip
NATIONALS = [
    "NCHAR(4)",
    "NATIONAL CHAR(4)",
    "NVARCHAR(5)",
    "NATIONAL VARCHAR(6)",
    "NATIONAL CHARACTER VARYING(7)",
]

types = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(OTHERS),
    st.sampled_from(NATIONALS),
    st.builds("{}{}".format, st.sampled_from(TEXTS), text_suffixes),
)
attributes = st.sampled_from(
    ["", "", " NULL", " NOT NULL", " NOT NULL COMMENT 'it''s, (one)'", ' COMMENT "a; -- b" NULL', " INVISIBLE",
     " NOT NULL /*!80023 INVISIBLE */", " DEFAULT NULL"]
)  # fmt: skip
definitions = st.one_of(
    st.builds("{}{}".format, types, attributes),
    st.sampled_from(
        ["INT NOT NULL DEFAULT -5", "INT DEFAULT '42'", "VARCHAR(20) DEFAULT 'it''s \\\\ \"q\"'", "BOOL DEFAULT TRUE",
         'VARCHAR(9) NOT NULL DEFAULT ""', "ENUM('p','q') DEFAULT 'q' NOT NULL", "DATETIME DEFAULT CURRENT_TIMESTAMP",
         "TIMESTAMP(3) NOT NULL DEFAULT NOW(3) ON UPDATE CURRENT_TIMESTAMP(3)", "INT DEFAULT (1 + (2))",
         "BIT(3) DEFAULT b'101'", "VARBINARY(5) DEFAULT x'0102'", "INT CHECK (1 > 0) COMMENT 'c'",
         "INT GENERATED ALWAYS AS (1 + 1) VIRTUAL NULL", "VARCHAR(9) AS (concat('a', ')')) STORED", "INT NOT NULL UNIQUE",
         "INT AUTO_INCREMENT", "INT NULL AUTO_INCREMENT UNIQUE", "BIGINT AUTO_INCREMENT PRIMARY KEY", "SERIAL",
         "ENUM('p ', 'q') NOT NULL DEFAULT 'p '", r"""VARCHAR(9) DEFAULT "it\'s" """,
         "JSON DEFAULT (json_object('a', ','))", "VARCHAR(5) DEFAULT _utf8mb4'x' COLLATE utf8mb4_bin"]
    ),
)  # fmt: skip
KEYS = [
    "PRIMARY KEY ({})", "PRIMARY KEY ({})", "PRIMARY KEY USING BTREE ({} ASC)", "UNIQUE KEY ({})", "KEY ({} DESC)",
    "CONSTRAINT UNIQUE INDEX ({})", "CHECK (1 < 2)",
]  # fmt: skip


def reference(columns: Sequence[str]) -> st.SearchStrategy[str]:
    """The name of one of these columns, maybe with other letters in capitals."""
    return st.builds(lambda name, cased: quoted(cased(name)), st.sampled_from(columns), cases)


def key_parts_of(columns: list[str]) -> st.SearchStrategy[str]:
    chosen = st.lists(reference(columns), min_size=1, max_size=2, unique_by=str.lower)
    return chosen.map(", ".join)


def keys_of(columns: list[str]) -> st.SearchStrategy[str]:
    return st.builds(str.format, st.sampled_from(KEYS), key_parts_of(columns))


options = st.lists(
    st.sampled_from(
        ["ENGINE=InnoDB", "DEFAULT CHARSET=latin1", "CHARACTER SET = utf8mb3", "COLLATE utf8mb4_bin", "COMMENT='x, y'",
         "AUTO_INCREMENT 7", "ROW_FORMAT=DYNAMIC", "DEFAULT COLLATE = latin1_bin"]
    ),
    max_size=2,
).map(" ".join)  # fmt: skip


@st.composite
def creates(draw: st.DrawFn) -> str:
    wanted = draw(st.lists(names, min_size=1, max_size=6, unique_by=str.lower))
    parts = [f"{quoted(name)} {draw(definitions)}" for name in wanted]
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), draw(keys_of(wanted)))
    exists = draw(st.sampled_from(["", "IF NOT EXISTS "]))
    return f"CREATE TABLE {exists}{quoted(draw(tables))} ({', '.join(parts)}) {draw(options)}"


@st.composite
def alters(draw: st.DrawFn, existing: Tables) -> str:
    table = draw(st.sampled_from(list(existing)))
    columns = list(existing[table])
    done = [_action(draw, columns) for _ in range(draw(st.integers(1, 3)))]
    return f"ALTER TABLE {quoted(table)} {', '.join(done)}"


def others(existing: Tables) -> st.SearchStrategy[str]:
    old = st.sampled_from(list(existing)).map(quoted)
    new = tables.map(quoted)
    columns = reference([c for columns in existing.values() for c in columns])
    return st.one_of(
        st.builds("RENAME TABLE {} TO {}".format, old, new),
        st.builds("RENAME TABLE {0} TO tmp, {1} TO {0}, tmp TO {1}".format, old, old),
        st.builds("DROP TABLE IF EXISTS {}, {}".format, old, new),
        st.builds("CREATE TABLE {} LIKE {}".format, new, old),
        st.builds("CREATE UNIQUE INDEX ui ON {} ({})".format, old, columns),
        st.builds("DROP INDEX {} ON {}".format, st.sampled_from(["`PRIMARY`", "`primary`", "ui"]), old),
        st.builds("TRUNCATE {}".format, old),
        st.sampled_from(CHARSETS[:3]).map("ALTER DATABASE CHARACTER SET {}".format),
    )


def statements(existing: Tables) -> st.SearchStrategy[str]:
    """One statement, behind a comment now and then."""
    plain = creates()
    if existing:
        plain = st.one_of(alters(existing), alters(existing), alters(existing), plain, others(existing))
    return st.one_of(plain, plain, st.builds("{}{}".format, st.sampled_from(COMMENTS), plain))


def _action(draw: st.DrawFn, columns: list[str]) -> str:
    old, other = draw(reference(columns)), draw(reference(columns))
    new, third = quoted(draw(names)), quoted(draw(names))
    place = draw(st.sampled_from(["", "", " FIRST", f" AFTER {draw(reference(columns))}"]))
    definition = draw(definitions)
    return draw(
        st.sampled_from(
            [
                f"ADD COLUMN {new} {definition}{place}",
                f"ADD {new} {definition}",
                f"ADD ({new} {definition}, {quoted(draw(names))} {draw(definitions)})",
                f"MODIFY {old} {definition}{place}",
                f"MODIFY COLUMN {old} {definition}",
                f"MODIFY {old} INT",
                f"CHANGE COLUMN {old} {new} {definition}{place}",
                f"CHANGE {old} {old} {definition}",
                f"RENAME COLUMN {old} TO {new}",
                f"RENAME COLUMN {old} TO {other}, RENAME COLUMN {other} TO {old}",
                f"CHANGE {old} {other} {definition}, CHANGE {other} {old} {draw(definitions)}{place}",
                f"DROP {old}, ADD {old} {definition}{place}",
                f"RENAME COLUMN {old} TO {new}, ADD {old} {definition}{place}",
                f"CHANGE {old} {new} {draw(definitions)}, ADD {old} {definition}{place}",
                f"ADD {new} {definition} AFTER {third}, RENAME COLUMN {old} TO {third}",
                f"DROP COLUMN {old}",
                f"DROP {old}",
                f"ALTER COLUMN {old} SET DEFAULT 7",
                f"ALTER {old} SET DEFAULT (1 + 1)",
                f"ALTER {old} DROP DEFAULT",
                f"ALTER {old} SET {draw(st.sampled_from(['VISIBLE', 'INVISIBLE']))}",
                f"ADD {draw(keys_of(columns))}",
                "DROP PRIMARY KEY",
                f"DROP {draw(st.sampled_from(['INDEX', 'KEY', 'CONSTRAINT']))} `{draw(cases)('PRIMARY')}`",
                f"DROP INDEX `PRIMARY`, MODIFY {old} {definition}",
                f"DROP PRIMARY KEY, ADD {draw(keys_of(columns))}",
                f"RENAME TO {quoted(draw(tables))}",
                f"CONVERT TO CHARACTER SET {draw(st.sampled_from(CHARSETS))}",
                f"DEFAULT CHARACTER SET {draw(st.sampled_from(CHARSETS[:3]))}",
                "COLLATE utf8mb4_bin",
                "COMMENT 'new, one'",
                "ENGINE=InnoDB ROW_FORMAT=COMPACT",
                "FORCE",
                "ALGORITHM=COPY",
                f"ORDER BY {old}",
                f"ADD INDEX ({old})",
                "AUTO_INCREMENT = 3",
            ]
        )
    )
