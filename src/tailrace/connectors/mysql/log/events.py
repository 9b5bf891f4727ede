"""The rarer events of the log, read one by one: bytes of a body in, plain values out.

A body is what stands between the event's header of 19 bytes and its checksum. Source: MySQL source
documentation, "Binary log events", each function names its class.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from tailrace.connectors.mysql.comments import CLOSING, COMMENT, OPENING
from tailrace.connectors.mysql.log.items import Interval, Origin, QueryKind, Xid
from tailrace.connectors.mysql.log.wire import lenenc, little

NAMES: Final = {
    0: "UNKNOWN", 1: "START_V3", 2: "QUERY", 3: "STOP", 4: "ROTATE", 5: "INTVAR", 6: "LOAD", 7: "SLAVE",
    8: "CREATE_FILE", 9: "APPEND_BLOCK", 10: "EXEC_LOAD", 11: "DELETE_FILE", 12: "NEW_LOAD", 13: "RAND",
    14: "USER_VAR", 15: "FORMAT_DESCRIPTION", 16: "XID", 17: "BEGIN_LOAD_QUERY", 18: "EXECUTE_LOAD_QUERY",
    19: "TABLE_MAP", 20: "PRE_GA_WRITE_ROWS", 21: "PRE_GA_UPDATE_ROWS", 22: "PRE_GA_DELETE_ROWS",
    23: "WRITE_ROWS_V1", 24: "UPDATE_ROWS_V1", 25: "DELETE_ROWS_V1", 26: "INCIDENT", 27: "HEARTBEAT",
    28: "IGNORABLE", 29: "ROWS_QUERY", 30: "WRITE_ROWS", 31: "UPDATE_ROWS", 32: "DELETE_ROWS", 33: "GTID",
    34: "ANONYMOUS_GTID", 35: "PREVIOUS_GTIDS", 36: "TRANSACTION_CONTEXT", 37: "VIEW_CHANGE",
    38: "XA_PREPARE", 39: "PARTIAL_UPDATE_ROWS", 40: "TRANSACTION_PAYLOAD", 41: "HEARTBEAT_V2",
    42: "GTID_TAGGED",
}  # fmt: skip
(QUERY, STOP, ROTATE, APPEND_BLOCK, DELETE_FILE) = (2, 3, 4, 9, 11)
(FORMAT_DESCRIPTION, BEGIN_LOAD_QUERY, EXECUTE_LOAD_QUERY) = (15, 17, 18)
(INCIDENT, HEARTBEAT, IGNORABLE, PREVIOUS_GTIDS, TRANSACTION_CONTEXT) = (26, 27, 28, 35, 36)
(VIEW_CHANGE, XA_PREPARE, TRANSACTION_PAYLOAD, HEARTBEAT_V2) = (37, 38, 40, 41)

_DEFINITIONS: Final = {"create", "alter", "drop", "rename", "truncate"}
_DATA: Final = {
    "insert",
    "update",
    "delete",
    "replace",
    "load",
    "with",
    "call",
    "do",
    "select",
    "import",
    "table",
    "values",
}
_LEADING: Final = re.compile(rf"(?:\s+|{COMMENT}|{OPENING}|{CLOSING}|\()*", re.DOTALL)
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)
_XID: Final = re.compile(r"X'([0-9a-f]*)'\s*,\s*X'([0-9a-f]*)'\s*,\s*(\d+)", re.IGNORECASE)

# Python's codecs for the collations of character_set_client; all others are UTF-8 or ASCII.
_CODECS: Final = {
    "big5": {1, 84},
    "iso8859_2": {2, 9, 21, 27, 77},
    "cp850": {4, 80},
    "cp1252": {5, 8, 15, 31, 47, 48, 49, 94},
    "koi8_r": {7, 74},
    "euc_jp": {12, 91, 97, 98},
    "cp932": {13, 88, 95, 96},
    "cp1251": {14, 23, 50, 51, 52},
    "iso8859_8": {16, 71},
    "tis_620": {18, 89},
    "euc_kr": {19, 85},
    "koi8_u": {22, 75},
    "gb2312": {24, 86},
    "iso8859_7": {25, 70},
    "cp1250": {26, 34, 44, 66, 99},
    "gbk": {28, 87},
    "iso8859_9": {30, 78},
    "cp866": {36, 68},
    "mac_latin2": {38, 43, 53},
    "mac_roman": {39, 53},
    "cp852": {40, 81},
    "iso8859_13": {20, 41, 42, 79},
    "cp1256": {57, 67},
    "cp1257": {29, 58, 59},
    "gb18030": {248, 249, 250},
}
_CODEC_OF: Final = {number: codec for codec, numbers in _CODECS.items() for number in numbers}


@dataclass(slots=True)
class QueryBody:
    """The contents of a query event (`Query_event`)."""

    thread: int
    error_code: int
    database: str
    sql: str
    sql_mode: int | None = None
    charset: int | None = None
    collation_server: int | None = None
    collation_database: int | None = None
    default_collation_for_utf8mb4: int | None = None
    time_zone: str | None = None
    ddl_xid: int | None = None
    microseconds: int | None = None


def parse_query(body: bytes, *, extra: int = 0) -> QueryBody:
    """`Query_event`; `extra` bytes stand before the status variables (`Execute_load_query_event` has 13)."""
    database_length, variables_length = body[8], little(body, 11, 2)
    variables = 13 + extra
    name = variables + variables_length
    query = QueryBody(
        thread=little(body, 0, 4),
        error_code=little(body, 9, 2),
        database=body[name : name + database_length].decode("utf-8", "replace"),
        sql="",
    )
    _status_variables(query, body[variables:name])
    query.sql = _text(body[name + database_length + 1 :], query.charset)
    return query


def _text(sql: bytes, charset: int | None) -> str:
    """The statement as its client wrote it; bytes that are invalid in its character set become U+FFFD."""
    try:
        return sql.decode(_CODEC_OF.get(charset or 0, "utf-8"))
    except UnicodeDecodeError:
        return sql.decode("utf-8", "replace")


def _status_variables(query: QueryBody, data: bytes) -> None:
    """Parse the relevant variables; the first unknown code ends this, since its length is unknown as well."""
    o = 0
    while o < len(data):
        code, o = data[o], o + 1
        match code:
            case 1:
                query.sql_mode = little(data, o, 8)
            case 4:
                query.charset, query.collation_server = little(data, o, 2), little(data, o + 4, 2)
            case 5:
                query.time_zone = data[o + 1 : o + 1 + data[o]].decode("ascii", "replace")
            case 8:
                query.collation_database = little(data, o, 2)
            case 13:
                query.microseconds = little(data, o, 3)
            case 17:
                query.ddl_xid = little(data, o, 8)
            case 18:
                query.default_collation_for_utf8mb4 = little(data, o, 2)
        size = _status_size(code, data, o)
        if size is None:
            return
        o += size


def _status_size(code: int, data: bytes, o: int) -> int | None:
    """Bytes of a status variable behind its code."""
    fixed = {0: 4, 1: 8, 3: 4, 4: 6, 7: 2, 8: 2, 9: 8, 10: 4, 13: 3, 16: 1, 17: 8, 18: 2, 19: 1, 20: 1}
    if code in fixed:
        return fixed[code]
    if code in (5, 6):
        return 1 + data[o]
    if code == 2:
        return 2 + data[o]
    if code == 11:
        user = 1 + data[o]
        return user + 1 + data[o + user]
    if code == 12:
        return _databases_size(data, o)
    return None


def _databases_size(data: bytes, o: int) -> int:
    """The names of changed databases: a count, and that many texts that end with NUL; 254 for too many."""
    if data[o] == 254:
        return 1
    end = o + 1
    for _ in range(data[o]):
        end = data.index(0, end) + 1
    return end - o


def query_kind(sql: str) -> QueryKind:
    """What a statement does, by its first word after comments and brackets."""
    word = first_word(sql)
    if word in _DEFINITIONS:
        return QueryKind.DEFINITION
    return QueryKind.DATA if word in _DATA else QueryKind.OTHER


def first_word(sql: str) -> str:
    """The statement's first word, in lower case; "" if there is none."""
    leading = _LEADING.match(sql)
    word = _WORD.match(sql, leading.end() if leading else 0)
    return word.group().lower() if word else ""


def xid_in(sql: str) -> Xid | None:
    """The XID that an XA statement names."""
    found = _XID.search(sql)
    if found is None:
        return None
    return Xid(int(found[3]), bytes.fromhex(found[1]), bytes.fromhex(found[2]))


def parse_xa_prepare(body: bytes) -> tuple[bool, Xid]:
    """`XA_prepare_event`: whether it commits at once, and the XID."""
    gtrid, bqual = little(body, 5, 4), little(body, 9, 4)
    xid = body[13 : 13 + gtrid + bqual]
    return body[0] != 0, Xid(little(body, 1, 4), xid[:gtrid], xid[gtrid:])


def parse_rotate(body: bytes) -> tuple[int, str]:
    """`Rotate_event`: where the next file begins, and its name."""
    return little(body, 0, 8), body[8:].decode()


def parse_format_description(event: bytes) -> tuple[int, str, int, bool, bytes]:
    """`Format_description_event`, whole, with its header.

    The version of the format, the server's version, when it was started (0: the file is not its first),
    whether events have checksums, and the lengths of the fixed parts by event type. Since 5.6.1 the event
    ends with the number of the checksum's algorithm and four bytes for its own checksum, used or not.
    """
    body = event[19:]
    version = body[2:52].rstrip(b"\0").decode("ascii", "replace")
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    has_algorithm = numbers >= (5, 6, 1)
    lengths = body[57:-5] if has_algorithm else body[57:]
    return little(body, 0, 2), version, little(body, 52, 4), has_algorithm and body[-5] == 1, lengths


def parse_incident(body: bytes) -> str:
    """`Incident_event`: the server's message."""
    number = little(body, 0, 2)
    return body[3 : 3 + body[2]].decode("utf-8", "replace") or f"incident {number}"


def parse_heartbeat_v2(body: bytes) -> tuple[str | None, int | None]:
    """`Heartbeat_event_v2`: file name and position, as numbered fields."""
    name: str | None = None
    position: int | None = None
    o = 0
    while o < len(body):
        kind, o = lenenc(body, o)
        if kind == 0:
            break
        length, o = lenenc(body, o)
        if kind == 1:
            name = body[o : o + length].decode()
        elif kind == 2:
            position, _ = lenenc(body, o)
        o += length
    return name, position


def parse_previous_gtids(body: bytes) -> tuple[Interval, ...]:
    """`Previous_gtids_event`: a GTID set; with tags, its first and last byte are a 1 (`Gtid_set::encode`)."""
    tagged = body[7] == 1
    count = little(body, 1, 6) if tagged else little(body, 0, 8)
    intervals, o = [], 8
    for _ in range(count):
        uuid, o = UUID(bytes=body[o : o + 16]), o + 16
        tag = ""
        if tagged:
            length = body[o] >> 1
            tag, o = body[o + 1 : o + 1 + length].decode(), o + 1 + length
        pairs, o = little(body, o, 8), o + 8
        for _ in range(pairs):
            intervals.append(Interval(Origin(uuid, tag), little(body, o, 8), little(body, o + 8, 8) - 1))
            o += 16
    return tuple(intervals)


def parse_payload_header(body: bytes) -> tuple[int, int, int, int]:
    """`Transaction_payload_event`: offset of the payload, its size, compression (0: zstd), and full size."""
    fields = {1: 0, 2: 255, 3: 0}
    o = 0
    while o < len(body):
        kind, o = lenenc(body, o)
        if kind == 0:
            break
        length, o = lenenc(body, o)
        fields[kind], _ = lenenc(body, o)
        o += length
    return o, fields[1] or len(body) - o, fields[2], fields[3]


def parse_error_packet(packet: bytes) -> tuple[int, str, str]:
    """`ERR_Packet`: code, SQLSTATE and message."""
    code, o = little(packet, 1, 2), 3
    sqlstate = ""
    if packet[3:4] == b"#":
        sqlstate, o = packet[4:9].decode("ascii", "replace"), 9
    return code, sqlstate, packet[o:].decode("utf-8", "replace")
