"""Custom converters in Python: what they are asked, what they make, and what is said when they are wrong."""

import pickle
import textwrap
import traceback

import pyarrow as pa
import pytest

from support.guides import module_of, properties_in, written
from support.unit_settings import db2_unit_settings, sqlserver_unit_settings, unit_settings
from tailrace.changes.vectors import from_arrow
from tailrace.connectors.db2 import types as db2_types
from tailrace.connectors.mysql.types import converted_schema
from tailrace.connectors.sqlserver import types as sqlserver_types
from tailrace.custom_converters.conversions import converted_field, made
from tailrace.errors import ConfigError, ConversionError
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column, TableId

TABLE = TableId("shop", "", "customers")
TEXT = Schema(Type.STRING, optional=True)
VALUE = "confidential"


def column(name="email", **changes):
    return Column(**{"name": name, "type_name": "VARCHAR", "type_expression": "VARCHAR", "jdbc_type": 12, "length": 80} | changes)


@pytest.fixture
def code(tmp_path, monkeypatch):
    """Writes a module `mine` with a class `Mine`, whose body follows."""

    def write(body, imports=""):
        made.cache_clear()  # of another test's module of this name
        head = f"from tailrace.custom_converters import Conversion, Schema, Type\n{imports}\nclass Mine:\n"
        return written(head + textwrap.indent(textwrap.dedent(body), "    "), "mine", tmp_path, monkeypatch)

    return write


def mine(**options):
    return {"converters": "a", "a.type": "python:mine.Mine"} | {f"a.{name}": value for name, value in options.items()}


def shown_by_spark(error):
    """What PySpark tells of an error in a task: those that it came from too."""
    return "".join(traceback.TracebackException.from_exception(error).format())


def field_of(settings, given=None, schema=TEXT):
    return converted_field(settings, TABLE, given or column(), schema)


def converted(field, values, type_=None):
    return field.convert(from_arrow(pa.array(values, type_))).to_arrow().to_pylist()


def test_the_example_of_the_guide_leaves_only_the_domain(tmp_path, monkeypatch):
    module_of("custom-converters.md", "shop_converters", tmp_path, monkeypatch)
    settings = unit_settings(properties_in("custom-converters.md", "converters=mail"))
    field = field_of(settings)
    assert field.schema == Schema(Type.STRING, optional=True, name="com.example.MailDomain")
    assert converted(field, ["ada@example.org", None, "x"]) == ["example.org", None, "x"]
    assert field_of(settings, column("name")) is None


def test_the_configuration_of_the_guide_is_accepted():
    settings = unit_settings(properties_in("custom-converters.md", "converters=boolean,zero"))
    is_new = column("is_new", type_name="TINYINT", type_expression="TINYINT", jdbc_type=-6, length=1, optional=False)
    assert converted_schema(TableId("shop", "", "orders"), is_new, settings).type is Type.BOOLEAN


def test_settings_with_a_converter_can_be_sent_to_executors(tmp_path, monkeypatch):
    module_of("custom-converters.md", "shop_converters", tmp_path, monkeypatch)
    settings = unit_settings(properties_in("custom-converters.md", "converters=mail"))
    assert converted(field_of(pickle.loads(pickle.dumps(settings))), ["a@b"]) == ["b"]  # noqa: S301 -- our own


def test_it_is_told_everything_about_a_column(code):
    module = code("""
        seen = []
        def __init__(self, options): self.options = options
        def converter_for(self, column): Mine.seen.append((self.options, column))
    """)
    given = column(length=5, scale=2, optional=False, has_default=True, default="x", charset="latin1")
    assert field_of(unit_settings(mine(b="1", c="2")), given, Schema(Type.STRING, default="x")) is None
    ((options, seen),) = module.Mine.seen
    assert options == {"b": "1", "c": "2"}
    assert (seen.data_collection, seen.name, seen.type_name, seen.jdbc_type) == ("shop.customers", "email", "VARCHAR", 12)
    assert (seen.length, seen.scale, seen.optional, seen.default, seen.charset) == (5, 2, False, "x", "latin1")


LENGTHS = """
    def __init__(self, options): pass
    def converter_for(self, column): return Conversion(Schema(Type.INT16), pc.binary_length)
"""
COMPUTE = "import pyarrow.compute as pc"


def test_a_default_is_converted_and_a_required_column_stays_required(code):
    code(LENGTHS, COMPUTE)
    given = column(optional=False, has_default=True, default="four")
    field = field_of(unit_settings(mine()), given, Schema(Type.STRING, default="four"))
    assert field.schema == Schema(Type.INT16, default=4)
    assert field_of(unit_settings(mine())).schema.default is NO_DEFAULT


def test_the_first_converter_that_takes_a_column_counts(code):
    code(LENGTHS, COMPUTE)
    properties = {
        "converters": "no,a",
        "no.type": "io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter",
        "a.type": "python:mine.Mine",
    }
    tiny = column(type_name="TINYINT", type_expression="TINYINT", jdbc_type=-6, length=1)
    settings = unit_settings(properties)
    assert field_of(settings, tiny, Schema(Type.INT16, optional=True)).schema.type is Type.BOOLEAN
    assert field_of(settings).schema.type is Type.INT16


@pytest.mark.parametrize(("types", "settings"), [(sqlserver_types, sqlserver_unit_settings), (db2_types, db2_unit_settings)])
def test_the_other_connectors_have_them_too(code, types, settings):
    code(LENGTHS, COMPUTE)
    found = types.column_type(TableId("shop", "dbo", "customers"), column(), settings(mine()))
    assert found.key == found.value == Schema(Type.INT16, optional=True)
    assert found.conversion(from_arrow(pa.array(["abc", None]))).to_arrow().to_pylist() == [3, None]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (f"raise LookupError('{VALUE}')", "converter_for failed: LookupError (mine.py, line 6)"),
        ("return 5", "converter_for must return a Conversion"),
        ("return Conversion(Schema(Type.MAP), len)", "a field can be no map here"),
        ("return Conversion(Schema(Type.ARRAY, items=Schema(Type.STRING)), len)", "a field can be no array here"),
    ],
)
def test_what_it_answers_for_a_column_is_checked(code, body, says):
    code(f"""
        def __init__(self, options): pass
        def converter_for(self, column): {body}
    """)
    with pytest.raises(ConfigError) as caught:
        field_of(unit_settings(mine()))
    assert "converters: a (python:mine.Mine), column shop.customers.email" in str(caught.value)
    assert says in str(caught.value)
    assert VALUE not in shown_by_spark(caught.value)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("lambda values: values.to_pylist()", "it returned list, not an Arrow array"),
        ("lambda values: values[1:]", "it returned 1 values for 2"),
        ("lambda values: values", "it returned string, of which not every value is a int16"),
        ("lambda values: int(values[0].as_py())", "its function failed: ValueError (mine.py, line 6)"),
        ("lambda values: pa.nulls(2, pa.int16())", "it returned a null, and the schema is not optional"),
    ],
)
def test_what_its_function_returns_is_checked_and_no_value_is_told(code, function, says):
    code(
        f"""
        def __init__(self, options): pass
        def converter_for(self, column): return Conversion(Schema(Type.INT16), {function})
        """,
        "import pyarrow as pa",
    )
    field = field_of(unit_settings(mine()), column(optional=False), Schema(Type.STRING))
    with pytest.raises(ConversionError) as caught:
        converted(field, [VALUE, "b"])
    assert str(caught.value).startswith("converters: a (python:mine.Mine), column shop.customers.email: ")
    assert says in str(caught.value)
    assert VALUE not in shown_by_spark(caught.value)


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"converters": "a"}, "a.type is missing: converters names a"),
        ({"converters": "a", "a.type": "python:Mine"}, "write python:package.module.Name"),
        ({"converters": "a", "a.type": "python:no_such_module_here.Mine"}, "install its package where tailrace is installed"),
        ({"converters": "a", "a.type": "python:mine.Other"}, "the module mine has no Other"),
        ({"converters": "a", "a.type": "python:mine.__name__"}, "must be a class or a function that takes one argument"),
        ({"converters": "a,a", "a.type": "python:mine.Mine"}, "converters names a more than once"),
        (mine(wrong="1"), "it can't be made of its options: KeyError (mine.py, line 6): 'needed'"),
        (mine(password="hunter2", wrong="1"), "KeyError (mine.py, line 6): '***'"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(code, properties, says):
    code("""
        def __init__(self, options):
            if "wrong" in options: raise KeyError(options.get("password", "needed"))
        def converter_for(self, column): return None
    """)
    with pytest.raises(ConfigError) as caught:
        unit_settings(properties)
    assert says in str(caught.value)
    assert "hunter2" not in str(caught.value)
