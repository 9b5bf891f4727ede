"""Measures how fast the stand-in sends the same rows to a reader that does nothing with them.

    python -m bench.db2.ceiling socket|adbc|jcc JOB.json

`socket` discards the received bytes, which gives the stand-in's own speed; it counts no rows, and takes the end of the result for
all of them. tailrace's driver is adbc-driver-db2, with tailrace's own statements. Debezium's is IBM's JDBC driver, with its
statements; here Java code takes every value out of every row, in pieces that fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bench.change_tables.ceiling import PIECE, Reading, main
from bench.change_tables.plan import CATCH_UP, TRANSACTION

if TYPE_CHECKING:
    from tests.standins.db2.raw_client import RawClient

SOCKET, ADBC, JCC = "socket", "adbc", "jcc"
BLOCK = 1 << 20  # bytes: what adbc-driver-db2 asks for
OPERATIONS = (
    "CASE WHEN IBMSNAP_OPERATION = 'D' AND (LEAD(cdc.IBMSNAP_OPERATION,1,'X') OVER (PARTITION BY cdc.IBMSNAP_COMMITSEQ "
    "ORDER BY cdc.IBMSNAP_INTENTSEQ)) ='I' THEN 3 WHEN IBMSNAP_OPERATION = 'I' AND (LAG(cdc.IBMSNAP_OPERATION,1,'X') OVER "
    "(PARTITION BY cdc.IBMSNAP_COMMITSEQ ORDER BY cdc.IBMSNAP_INTENTSEQ)) ='D' THEN 4 WHEN IBMSNAP_OPERATION = 'D' THEN 1 "
    "WHEN IBMSNAP_OPERATION = 'I' THEN 2 END OPCODE"
)
CHANGES_OF_DEBEZIUM = (
    f"SELECT {OPERATIONS},cdc.* FROM {{table}} cdc WHERE   IBMSNAP_COMMITSEQ >= ? AND IBMSNAP_COMMITSEQ <= ? "
    "order by IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ"
)
ROWS_OF_DEBEZIUM = "SELECT {columns} FROM {table} WHERE ID > ? AND ID <= ?"


def queries_of_debezium(task: str, table: str, columns: Sequence[str], places: Sequence[Any]) -> dict[str, Any]:
    """Its statement, and the parameters of its pieces; `places` are all commits, or the number of each row and one before."""
    if task == CATCH_UP:
        at_once = PIECE // TRANSACTION
        borders = ["00" * 16, *places[at_once::at_once], places[-1]]
        pieces = [(f"{int(low, 16) + 1:032x}", high) for low, high in pairwise(borders)]
        return {"sql": CHANGES_OF_DEBEZIUM.format(table=table), "pieces": pieces}
    borders = [*places[:-1:PIECE], places[-1]]
    return {"sql": ROWS_OF_DEBEZIUM.format(columns=",".join(columns), table=table), "pieces": list(pairwise(borders))}


def by_socket(job: dict[str, Any]) -> Reading:
    """Read all rows as bytes that are discarded; returns their number as it is known before."""
    from tests.standins.db2.raw_client import SECTION

    from tailrace_standins.db2.drda.codepoints import Command, Parameter, Reply
    from tailrace_standins.db2.drda.objects import made

    client = _client(job)
    section = replace(SECTION, database=job["database"])
    block = made(Parameter.QRYBLKSZ, BLOCK.to_bytes(4, "big"))
    given = _sent(job["parameters"])

    def read() -> int:
        client.prepare(section, job["sql"])
        answers = client.of(Command.OPNQRY, section, block, given=given)
        while not any(point == Reply.ENDQRYRM for point, _ in answers):
            answers = client.of(Command.CNTQRY, section, block)
        return int(job["rows"])

    return read


def _client(job: dict[str, Any]) -> RawClient:
    """A connection, logged in."""
    from tests.standins.db2.raw_client import RawClient, ebcdic

    from tailrace_standins.db2.drda.codepoints import Command, Parameter
    from tailrace_standins.db2.drda.objects import made

    client = RawClient(job["port"])
    client.ask(Command.EXCSAT, made(Parameter.MGRLVLLS, bytes.fromhex("2407000b")))
    client.ask(Command.ACCSEC, made(Parameter.SECMEC, b"\x00\x03"))
    user, password = made(Parameter.USRID, ebcdic(job["user"])), made(Parameter.PASSWORD, ebcdic(job["password"]))
    client.ask(Command.SECCHK, user, password)
    client.access(job["database"])
    return client


def _sent(parameters: Sequence[str]) -> tuple[tuple[int, bytes], ...]:
    """SQLDTA of parameters that are VARCHAR FOR BIT DATA, given as hexadecimal digits."""
    from tailrace_standins.db2.drda.codepoints import Data
    from tailrace_standins.db2.drda.objects import made
    from tailrace_standins.db2.drda.types import triplet
    from tailrace_standins.db2.drda.writing import Row
    from tailrace_standins.db2.session import Column
    from tailrace_standins.db2.values import SqlType

    if not parameters:
        return ()
    columns = [Column("", SqlType("varchar", 16, bit_data=True), nullable=True) for _ in parameters]
    triplets = b"".join(triplet(column.type, nullable=True) for column in columns)
    descriptor = bytes([3 + len(triplets), 0x76, 0xD0]) + triplets + bytes.fromhex("0671e4d00001")
    data = Row(columns, in_row=0).written([bytes.fromhex(each) for each in parameters])[1:]
    return ((Data.SQLDTA, made(Data.FDODSC, descriptor) + made(Data.FDODTA, data)),)


def by_adbc(job: dict[str, Any]) -> Reading:
    """Read all rows as Arrow batches; returns their number."""
    from tailrace.config.secret import Secret
    from tailrace.connectors.db2.connection import Address, connect_to

    login = {name: job[name] for name in ("host", "port", "database", "user")}
    session = connect_to(Address(**login, password=Secret(job["password"])))
    parameters = [bytes.fromhex(each) for each in job["parameters"]]

    def read() -> int:
        return sum(batch.num_rows for batch in session.batches(job["sql"], *parameters))

    return read


def by_jcc(job: dict[str, Any]) -> Reading:
    """Read all rows in pieces into a CachedRowSet, which reads every value in Java; returns their number."""
    import jpype

    jpype.startJVM(job["libjvm"], "-Xmx2g", classpath=job["jars"])
    driver = jpype.JClass("com.ibm.db2.jcc.DB2Driver")()
    login = jpype.JClass("java.util.Properties")()
    login.put("user", job["user"])
    login.put("password", job["password"])
    connection = driver.connect(f"jdbc:db2://{job['host']}:{job['port']}/{job['database']}", login)
    provider = jpype.JClass("javax.sql.rowset.RowSetProvider").newFactory()

    def pieces() -> Iterator[Any]:
        statement = connection.prepareStatement(job["sql"])
        statement.setFetchSize(10_000)
        for piece in job["pieces"]:
            for place, value in enumerate(piece, 1):
                if isinstance(value, str):
                    statement.setBytes(place, jpype.JArray(jpype.JByte)(bytes.fromhex(value)))
                else:
                    statement.setInt(place, value)
            found = provider.createCachedRowSet()
            found.populate(statement.executeQuery())
            yield found

    return lambda: sum(int(piece.size()) for piece in pieces())


READERS = {SOCKET: by_socket, ADBC: by_adbc, JCC: by_jcc}

if __name__ == "__main__":
    main(READERS)
