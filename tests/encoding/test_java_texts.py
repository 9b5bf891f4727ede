"""Python's values, of rare records, in the text that Java has for them."""

from decimal import Decimal

from tailrace.encoding.java_texts import java_text
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.decimals import DECIMAL

TEXT = Schema(Type.STRING)
INT = Schema(Type.INT32, optional=True)
PAIR = Schema(Type.STRUCT, fields=(Field("a", INT), Field("b", TEXT)))


def test_a_struct_is_written_without_its_nulls():
    assert java_text(PAIR, {"a": None, "b": "x"}) == "Struct{b=x}"
    assert java_text(PAIR, {"a": 1, "b": "x"}) == "Struct{a=1,b=x}"


def test_lists_and_maps_show_their_nulls():
    assert java_text(Schema(Type.ARRAY, items=PAIR), [{"a": 1, "b": "x"}, None]) == "[Struct{a=1,b=x}, null]"
    assert java_text(Schema(Type.MAP, keys=TEXT, items=INT), {"k": 1, "n": None}) == "{k=1, n=null}"


def test_single_values_are_those_of_java():
    decimal = Schema(Type.BYTES, name=DECIMAL, parameters=(("scale", "2"),))
    assert java_text(Schema(Type.BOOLEAN), True) == "true"
    assert java_text(Schema(Type.FLOAT64), 1e10) == "1.0E10"
    assert java_text(decimal, Decimal("1.5")) == java_text(decimal, b"\x00\x96") == "1.50"
    assert java_text(Schema(Type.BYTES), b"ab") == "java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]"
    assert java_text(INT, None) is None
