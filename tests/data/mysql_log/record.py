"""Record the streams in this folder from a real server: `python record.py SOCKET`.

The server is changed globally and its databases `logs` and `logs2` are dropped: use one of your own, started with
--log-bin --gtid-mode=ON --enforce-gtid-consistency=ON --binlog-row-metadata=FULL --binlog-rows-query-log-events=ON.
Each file holds what the server sends to COM_BINLOG_DUMP, packet by packet, from the first byte of a log file on.
"""

import struct
import sys
from pathlib import Path

import pymysql

HERE = Path(__file__).parent
NON_BLOCKING = 1


def connect(socket):
    return pymysql.connect(unix_socket=socket, user="root", autocommit=True)


def run(cursor, statements):
    for statement in filter(None, map(str.strip, statements.split(";\n"))):
        cursor.execute(statement)


def newest_log(cursor):
    cursor.execute("FLUSH BINARY LOGS")
    cursor.execute("SHOW BINARY LOGS")
    return cursor.fetchall()[-1][0]


def dump(socket, file, checksum="CRC32", position=4, flags=NON_BLOCKING, packets=None):
    """All packets of a dump, with their four-byte headers; the end-of-file packet is the last."""
    connection = connect(socket)
    with connection.cursor() as cursor:
        cursor.execute(f"SET @source_binlog_checksum = '{checksum}', @source_heartbeat_period = 500000000")
    body = b"\x12" + struct.pack("<IHI", position, flags, 9700) + file.encode()
    wire, reader = connection._sock, connection._rfile
    wire.sendall(struct.pack("<I", len(body))[:3] + b"\0" + body)
    received = []
    while True:
        header = reader.read(4)
        packet = reader.read(int.from_bytes(header[:3], "little"))
        received.append(header + packet)
        if packet[0] == 0xFF or (packet[0] == 0xFE and len(packet) < 9) or len(received) == packets:
            connection._force_close()
            return b"".join(received)


START = """
DROP DATABASE IF EXISTS logs;
DROP DATABASE IF EXISTS logs2;
CREATE DATABASE logs;
CREATE TABLE logs.a (id INT PRIMARY KEY, name VARCHAR(99), n BIGINT UNSIGNED);
CREATE TABLE logs.b (id INT NOT NULL, doc JSON, KEY (id));
CREATE TABLE logs.old (id INT) ENGINE=MyISAM;
"""

COMMON = """
INSERT INTO logs.a VALUES (1, 'one', 1), (2, 'two', 2);
UPDATE logs.a SET name = 'zwei' WHERE id = 2;
DELETE FROM logs.a WHERE id = 1;
BEGIN;
INSERT INTO logs.a VALUES (3, 'three', 3);
SAVEPOINT s;
INSERT INTO logs.a VALUES (4, 'four', 4);
ROLLBACK TO SAVEPOINT s;
INSERT INTO logs.b VALUES (1, '{"k": 1}'), (2, NULL);
COMMIT;
BEGIN;
INSERT INTO logs.a VALUES (9, 'nine', 9);
ROLLBACK;
INSERT INTO logs.old VALUES (1), (2);
ALTER TABLE logs.a ADD COLUMN extra TINYINT DEFAULT 7 AFTER id;
INSERT INTO logs.a VALUES (5, 50, 'five', 5);
TRUNCATE TABLE logs.old;
CREATE TABLE logs.copy AS SELECT * FROM logs.a;
FLUSH TABLES;
INSERT INTO logs.a VALUES (6, 60, 'six', 6);
"""

XA = """
XA START 'x1', 'b', 7;
INSERT INTO logs.a VALUES (11, 1, 'prepared, committed', 1);
XA END 'x1', 'b', 7;
XA PREPARE 'x1', 'b', 7;
XA COMMIT 'x1', 'b', 7;
XA START 'x2';
INSERT INTO logs.a VALUES (12, 1, 'prepared, rolled back', 1);
XA END 'x2';
XA PREPARE 'x2';
XA ROLLBACK 'x2';
XA START 'x3';
INSERT INTO logs.a VALUES (13, 1, 'one phase', 1);
XA END 'x3';
XA COMMIT 'x3' ONE PHASE;
"""

COMPRESSED = """
SET SESSION binlog_transaction_compression = ON;
INSERT INTO logs.a VALUES (21, 1, REPEAT('x', 20), 1);
BEGIN;
UPDATE logs.a SET n = n + 1;
INSERT INTO logs.b VALUES (21, '[1, 2]');
COMMIT;
SET SESSION binlog_transaction_compression = OFF;
INSERT INTO logs.a VALUES (22, 1, 'plain', 1);
SET SESSION binlog_transaction_compression = ON;
INSERT INTO logs.a VALUES (23, 1, 'packed', 1);
SET SESSION binlog_transaction_compression = OFF;
"""

PARTIAL = """
UPDATE logs.b SET doc = '{"k": 1, "long": "0123456789012345678901234567890123456789"}' WHERE id = 1;
SET SESSION binlog_row_value_options = PARTIAL_JSON;
UPDATE logs.b SET doc = JSON_SET(doc, '$.k', 2) WHERE id = 1;
SET SESSION binlog_row_value_options = '';
"""

TAGGED = """
SET SESSION gtid_next = 'AUTOMATIC:blue';
INSERT INTO logs.a VALUES (31, 1, 'blue', 1);
INSERT INTO logs.a VALUES (32, 1, 'blue', 1);
CREATE TABLE logs.tagged (id INT);
SET SESSION gtid_next = 'AUTOMATIC:a_tag_of_32_characters_012345678';
INSERT INTO logs.a VALUES (33, 1, 'long', 1);
SET SESSION gtid_next = 'AUTOMATIC';
"""

STATEMENTS = """
SET SESSION binlog_format = STATEMENT;
INSERT INTO logs.a VALUES (41, 1, 'by statement', 1);
BEGIN;
INSERT INTO logs.a VALUES (42, 1, CONCAT('rand ', FLOOR(RAND() * 0)), 1);
SET @name = 'from a variable';
UPDATE logs.a SET name = @name WHERE id = 42;
COMMIT;
SET SESSION binlog_format = ROW;
"""

TYPES = """
CREATE TABLE logs.types (
  id INT PRIMARY KEY, t1 TINYINT UNSIGNED, i8 BIGINT, d DECIMAL(12,3), f FLOAT, dd DOUBLE UNSIGNED, b BIT(11),
  c CHAR(10) CHARACTER SET latin1, c2 CHAR(200), v VARCHAR(300) CHARACTER SET utf16, bin BINARY(5), vb VARBINARY(9),
  tx TEXT, bl MEDIUMBLOB, e ENUM('x','y,z') CHARACTER SET latin1, s SET('p','q'), j JSON, g GEOMETRY, p POINT,
  ve VECTOR(3), dt DATE, ti TIME(2), dtt DATETIME(6), ts TIMESTAMP(3) NULL, y YEAR, hid INT INVISIBLE DEFAULT 3,
  KEY ((CAST(j->'$.a' AS UNSIGNED ARRAY))));
INSERT INTO logs.types (id, t1, e, s, j) VALUES (1, 200, 'y,z', 'p,q', '{"a": [1, 2]}');
CREATE TABLE logs.prefixed (t TEXT, n INT, PRIMARY KEY (n, t(10)));
INSERT INTO logs.prefixed VALUES ('text', 1);
"""


def with_gtids(socket):
    connection = connect(socket)
    with connection.cursor() as cursor:
        file = newest_log(cursor)
        run(cursor, START + COMMON + XA)
        (HERE / "gtid-crc-full.bin").write_bytes(dump(socket, file))
        (HERE / "gtid-stripped.bin").write_bytes(dump(socket, file, checksum="NONE"))
        for name, statements in [
            ("compressed", COMPRESSED),
            ("partial-json", PARTIAL),
            ("tagged", TAGGED),
            ("statements", STATEMENTS),
            ("types-full", TYPES),
        ]:
            file = newest_log(cursor)
            run(cursor, statements)
            (HERE / f"{name}.bin").write_bytes(dump(socket, file))
        file = newest_log(cursor)
        run(
            cursor,
            "INSERT INTO logs.a VALUES (51, 1, 'a', 1);\nFLUSH BINARY LOGS;\nDELETE FROM logs.a WHERE id = 51",
        )
        (HERE / "rotated.bin").write_bytes(dump(socket, file))
        file = newest_log(cursor)
        (HERE / "heartbeat.bin").write_bytes(dump(socket, file, flags=0, packets=5))
        (HERE / "error.bin").write_bytes(dump(socket, "mysql-bin.999999"))


def without_gtids(socket):
    connection = connect(socket)
    modes = ["ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF"]
    with connection.cursor() as cursor:
        for mode in modes:
            cursor.execute(f"SET GLOBAL gtid_mode = {mode}")
        cursor.execute("SET GLOBAL binlog_checksum = NONE")
        cursor.execute("SET GLOBAL binlog_row_metadata = MINIMAL")
        cursor.execute("SET SESSION binlog_rows_query_log_events = OFF")
        file = newest_log(cursor)
        run(cursor, START + COMMON + TYPES)
        (HERE / "plain-minimal.bin").write_bytes(dump(socket, file, checksum="NONE"))
        cursor.execute("SET GLOBAL binlog_checksum = CRC32")
        cursor.execute("SET GLOBAL binlog_row_metadata = FULL")
        for mode in ["OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"]:
            cursor.execute(f"SET GLOBAL gtid_mode = {mode}")


if __name__ == "__main__":
    with_gtids(sys.argv[1])
    without_gtids(sys.argv[1])
