"""Single events, status variables, checksums."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.connectors.mysql.log.streams import query

from tailrace.connectors.mysql.ddl.tokens import blank_comments
from tailrace.connectors.mysql.log import QueryKind, Xid
from tailrace.connectors.mysql.log.checksum import crc32
from tailrace.connectors.mysql.log.events import first_word, parse_query, query_kind, xid_in
from tailrace.kernels.compiling import entry


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("CREATE TABLE t (id INT)", QueryKind.DEFINITION),
        ("/* ApplicationName=x */ alter table t add c int", QueryKind.DEFINITION),
        ("-- note\n  DROP TABLE t", QueryKind.DEFINITION),
        ("# note\nTRUNCATE t", QueryKind.DEFINITION),
        ("/*!50001 CREATE VIEW v AS SELECT 1 */", QueryKind.DEFINITION),
        ("--\n-- swap\n--\nALTER TABLE t RENAME COLUMN a TO b", QueryKind.DEFINITION),
        ("--\r\nDROP TABLE t", QueryKind.DEFINITION),
        ("--\x01 note\nDROP TABLE t", QueryKind.DEFINITION),
        ("/*! */ DROP TABLE t", QueryKind.DEFINITION),
        ("INSERT INTO t VALUES (1)", QueryKind.DATA),
        ("--\nDELETE FROM t", QueryKind.DATA),
        ("(SELECT f())", QueryKind.DATA),
        ("WITH x AS (SELECT 1) UPDATE t SET a = 1", QueryKind.DATA),
        ("LOAD DATA INFILE 'x' INTO TABLE t", QueryKind.DATA),
        ("GRANT SELECT ON *.* TO u", QueryKind.OTHER),
        ("FLUSH TABLES", QueryKind.OTHER),
        ("", QueryKind.OTHER),
    ],
)
def test_a_statement_is_judged_by_its_first_word(sql, kind):
    assert query_kind(sql) is kind


@given(st.lists(st.sampled_from(["--\n", "-- a\n", "--\t--\n", "--\x7f\n", "#\n", "/* a */", "/**/", "/*!", "*/", "\n"]), max_size=4))
def test_what_is_passed_over_before_the_first_word_is_blank_for_the_reader_of_definitions_too(comments):
    sql = "".join(comments) + "DROP TABLE t"

    assert first_word(sql) == "drop"
    assert blank_comments(sql).lstrip() == "DROP TABLE t"


def test_two_dashes_without_a_blank_are_no_comment():
    assert first_word("--a\nDROP TABLE t") == ""
    assert blank_comments("5--a\nDROP") == "5--a\nDROP"


def test_an_open_comment_has_no_first_word():
    assert first_word("/* never closed") == ""


def test_an_xid_is_read_from_its_statement():
    assert xid_in("XA COMMIT X'61',X'',1") == Xid(1, b"a", b"")
    assert xid_in("XA COMMIT 'a'") is None


def test_status_variables_of_all_kinds_are_passed_in_order():
    variables = (
        b"\x00" + bytes(4)
        + b"\x01" + (1 << 21).to_bytes(8, "little")
        + b"\x06\x03std"
        + b"\x03" + bytes(4)
        + b"\x04\x08\x00\x21\x00\x2d\x00"
        + b"\x05\x06+02:00"
        + b"\x07" + bytes(2)
        + b"\x08\x2e\x00"
        + b"\x0b\x01u\x02ho"
        + b"\x0c\x02a\x00bb\x00"
        + b"\x0d\x40\xe2\x01"
        + b"\x10\x01"
        + b"\x11" + (77).to_bytes(8, "little")
        + b"\x12\xff\x00"
        + b"\xee???"
    )  # fmt: skip
    parsed = parse_query(query("SELECT 'ä'", variables=variables))
    assert parsed.sql_mode == 1 << 21
    assert (parsed.charset, parsed.collation_server, parsed.collation_database) == (8, 45, 46)
    assert (parsed.time_zone, parsed.microseconds, parsed.ddl_xid) == ("+02:00", 123456, 77)
    assert parsed.default_collation_for_utf8mb4 == 255
    assert parsed.database == "db"


def test_a_statement_is_read_in_its_clients_charset():
    latin1 = b"\x04\x08\x00\x08\x00\x08\x00"
    body = query("?", variables=latin1)[:-1] + "SELECT 'ä€'".encode("cp1252")
    assert parse_query(body).sql == "SELECT 'ä€'"


def test_bytes_outside_the_charset_do_not_stop_the_log():
    assert parse_query(query("") + b"SELECT '\xff'").sql == "SELECT '\ufffd'"


@entry()
def checksum_of(data, o, n):
    return crc32(data, o, n)


@given(st.binary(max_size=300), st.integers(0, 20))
def test_checksums_are_zlibs(data, skip):
    array = np.frombuffer(bytearray(bytes(skip) + data + b"?"), np.uint8)
    assert checksum_of(array, skip, len(data)) == zlib.crc32(data)
