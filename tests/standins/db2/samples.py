"""A column of each type of Db2, with a value that shows more than a plain one would."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tailrace_standins.db2.session import Column
from tailrace_standins.db2.values import SqlType, Value


@dataclass(frozen=True)
class Sample:
    name: str
    type: SqlType
    value: Value

    @property
    def column(self) -> Column:
        return Column(self.name, self.type)


SAMPLES = [
    Sample("SI", SqlType("smallint"), -32768),
    Sample("I", SqlType("integer"), -2147483648),
    Sample("BI", SqlType("bigint"), -9223372036854775808),
    Sample("RE", SqlType("real"), 1.5),
    Sample("DO", SqlType("double"), -1.0000000000000002),
    Sample("DE", SqlType("decimal", precision=18, scale=4), Decimal("-12345678901234.5678")),
    Sample("DE31", SqlType("decimal", precision=31, scale=31), Decimal("0.1234567890123456789012345678901")),
    Sample("DF16", SqlType("decfloat", precision=16), Decimal("-123.4500")),
    Sample("DF34", SqlType("decfloat", precision=34), Decimal("9876543210987654321098765432109876E-20")),
    Sample("BO", SqlType("boolean"), True),
    Sample("C", SqlType("char", 10), "straße   "),  # ten bytes
    Sample("VC", SqlType("varchar", 200), "plain text, then žluť €"),
    Sample("LV", SqlType("long varchar", 32700), "a long text"),
    Sample("CB", SqlType("char", 4, bit_data=True), b"\x00\xff\x80A"),
    Sample("VB", SqlType("varchar", 16, bit_data=True), bytes(range(240, 256))),
    Sample("G", SqlType("graphic", 4), "kůň "),
    Sample("VG", SqlType("vargraphic", 50), "žluť 東京"),
    Sample("BN", SqlType("binary", 3), b"\x00\x01\xff"),
    Sample("VBN", SqlType("varbinary", 20), b"\x00\x01\x02\xfe"),
    Sample("DA", SqlType("date"), "0001-02-28"),
    Sample("TI", SqlType("time"), "23:59:58"),
    Sample("T0", SqlType("timestamp", scale=0), "2024-02-29 12:34:56"),
    Sample("T6", SqlType("timestamp", scale=6), "9999-12-31 23:59:59.999999"),
    Sample("T12", SqlType("timestamp", scale=12), "2024-02-29 12:34:56.123456789012"),
    Sample("CL", SqlType("clob", 1 << 20), "a clob: žluť"),
    Sample("BL", SqlType("blob", 1 << 20), bytes(range(256))),
    Sample("DC", SqlType("dbclob", 1 << 20), "a dbclob: 東京"),
    Sample("X", SqlType("xml"), "<a>ž</a>"),
]
BY_NAME = {sample.name: sample for sample in SAMPLES}
