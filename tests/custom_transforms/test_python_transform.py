"""Transforms in Python: what they get, what becomes of what they return, and what is said when they are wrong."""

import pickle
import textwrap
import traceback

import pyarrow as pa
import pytest

from support.guides import module_of, properties_in, written
from support.transforming import CHANGES, UNWRAP, changes, rows, run
from support.unit_settings import USUAL, unit_settings
from tailrace.config.problems import Problems
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError, TransformError
from tailrace.events.pipeline import transforms_of
from tailrace.schema.connect import Field, Schema, Type
from tailrace.transforms.python_records import Conversion, connect_records

MINE = "python:mine.Mine"
TEXT = Schema(Type.STRING, optional=True)


@pytest.fixture
def code(tmp_path, monkeypatch):
    """Writes a module `mine` with a class `Mine`, whose methods follow."""

    def write(body, head=""):
        imports = "import pyarrow as pa\nimport pyarrow.compute as pc\nfrom tailrace.custom_transforms import *\n"
        init = "" if "__init__" in body else "def __init__(self, options): self.options = options\n"
        text = textwrap.indent(f"{head}\n{init}{textwrap.dedent(body)}", "    ")
        return written(f"{imports}class Mine:\n{text}\n", "mine", tmp_path, monkeypatch)

    return write


def test_the_example_of_the_guide_adds_a_name(tmp_path, monkeypatch):
    module_of("transforms.md", "shop_transforms", tmp_path, monkeypatch)
    properties = properties_in("transforms.md", "transforms=unwrap,name")
    _, name = transforms_of(unit_settings(properties))
    given = rows({"first": (TEXT, pa.array(["Ada", None])), "last": (TEXT, pa.array(["Lovelace", "X"]))})
    (made,) = name(given)
    assert connect_records(made).value.to_pylist() == [
        {"first": "Ada", "last": "Lovelace", "full_name": "Ada Lovelace"},
        {"first": None, "last": "X", "full_name": None},
    ]
    assert unit_settings(properties | {"tasks.max": "4"}).topics_by_content is False


def test_it_gets_records_as_arrow_with_their_schemas(code):
    module = code("""
        seen = []
        def __call__(self, records):
            Mine.seen.append(records)
            return records
    """)
    found = run(changes(), (MINE, {"a": "1"}))
    assert found == run(changes())
    (records,) = module.Mine.seen
    assert (records.topic, records.kind, len(records)) == ("dbz.shop.t", "rows", 4)
    assert records.key.to_pylist() == [{"c0": 1}] * 4
    assert records.key.type == pa.struct([("c0", pa.int64())])
    assert records.has_value.to_pylist() == [True, True, True, False]
    assert records.value[3].as_py() is None
    update = records.value[1].as_py()
    assert (update["op"], update["before"], update["after"]) == ("u", {"c0": 1, "c1": "a"}, {"c0": 1, "c1": None})
    assert records.value[0].as_py()["before"] is None
    assert records.value_schema.field("before").schema.optional
    assert records.timestamp.type == pa.int64()


def test_what_it_leaves_alone_keeps_its_layout(code):
    code("def __call__(self, records): return records.filter(pc.equal(pc.struct_field(records.value, 'op'), 'u')).evolve(topic='x')")
    given = changes()
    (made,) = transforms_of(unit_settings({"transforms": "a", "transforms.a.type": MINE}))[0](given)
    assert (made.topic, len(made), made.log_order.tolist()) == ("x", 1, [1])
    assert made.value is given.value
    assert made.key is given.key


def test_records_go_to_several_topics_in_the_order_of_the_log(code):
    code("""
        def __call__(self, records):
            ops = pc.fill_null(pc.struct_field(records.value, "op"), "none")
            for op in ops.unique().to_pylist():
                yield records.filter(pc.equal(ops, op)).evolve(topic=f"{records.topic}.{op}")
    """)
    events = [*CHANGES, ("c", None, (2, "b"))]
    assert [each.topic.rpartition(".")[2] for each in run(changes(events), MINE)] == ["c", "c", "u", "d", "none"]
    assert unit_settings({"transforms": "a", "transforms.a.type": MINE}).topics_by_content


def test_a_new_value_a_new_key_and_headers_are_encoded_with_their_schemas(code):
    code("""
        def __call__(self, records):
            n = len(records)
            tags = pa.array([["x", None], None][:1] * n)
            pairs = pa.array([[("k", 1)]] * n, pa.map_(pa.string(), pa.int32()))
            nested = pa.array([{"a": 1.5}, None][-(n % 2):] * n)[:n]
            schema = Schema(Type.STRUCT, name="Made", fields=(
                Field("tags", Schema(Type.ARRAY, items=Schema(Type.STRING, optional=True))),
                Field("pairs", Schema(Type.MAP, keys=Schema(Type.STRING), items=Schema(Type.INT32))),
                Field("nested", Schema(Type.STRUCT, optional=True, fields=(Field("a", Schema(Type.FLOAT64)),))),
            ))
            value = pa.StructArray.from_arrays([tags, pairs, nested], names=["tags", "pairs", "nested"])
            header = Header("h", Schema(Type.INT32), pa.array(range(n)), pa.array([i % 2 == 0 for i in range(n)]))
            return records.evolve(value=value, value_schema=schema, has_value=None, headers=(header,),
                key=pa.array([f"k{i}" for i in range(n)]), key_schema=Schema(Type.STRING))
    """)
    first, second, *_ = run(changes(), MINE)
    assert first.value == {"tags": ["x", None], "pairs": {"k": 1}, "nested": {"a": 1.5}}
    assert second.value["nested"] is None
    assert (first.key, second.key) == ("k0", "k1")
    assert (first.headers, second.headers) == ([("h", 0)], [])
    schema = run(changes(), MINE, schemas=True)[0].value["schema"]
    assert schema["name"] == "Made"
    assert [field["type"] for field in schema["fields"]] == ["array", "map", "struct"]


def test_tombstones_can_be_made_and_keys_taken_away(code):
    code("""
        def __call__(self, records):
            gone = pc.equal(pc.struct_field(records.value, "op"), "d").fill_null(True)
            value = pc.if_else(gone, pa.scalar(None, records.value.type), records.value)
            return records.evolve(has_value=pc.invert(gone), value=value, key=None, key_schema=None)
    """)
    found = run(changes(), MINE)
    assert [each.value is None for each in found] == [False, False, True, True]
    assert {each.key for each in found} == {None}


def test_it_stands_in_a_chain_with_predicates(code):
    code("def __call__(self, records): return []", head="keeps_topics = True")
    tombstones = {
        "transforms": "unwrap,a", "transforms.unwrap.type": UNWRAP[0],
        "transforms.unwrap.delete.tombstone.handling.mode": "rewrite-with-tombstone",
        "transforms.a.type": MINE, "transforms.a.predicate": "p", "transforms.a.negate": "true",
        "predicates": "p", "predicates.p.type": "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone",
    }  # fmt: skip
    unwrap, mine = transforms_of(pickle.loads(pickle.dumps(unit_settings(tombstones))))  # noqa: S301 -- our own
    (rest,) = [each for made in unwrap(changes()) for each in mine(made) if len(each)]
    assert (len(rest), rest.has_value.tolist()) == (1, [False])


def test_all_its_options_but_connects_own_are_given_to_it(code):
    module = code("""
        made = []
        def __init__(self, options): Mine.made.append(options)
        def __call__(self, records): return records
    """)
    own = {"transforms": "a", "transforms.a.type": MINE, "transforms.a.x.y": "1"}
    tombstones = "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"
    which = {"transforms.a.predicate": "p", "transforms.a.negate": "false", "predicates": "p", "predicates.p.type": tombstones}
    settings = unit_settings({**own, **which})
    assert {frozenset(each.items()) for each in module.Mine.made} == {frozenset({("x.y", "1")})}
    assert settings.warnings == ()


FAILS = """
    def __call__(self, records):
        wrong = pc.equal(pc.struct_field(records.value, ["after", "c1"]), "a").fill_null(False)
        if pc.any(wrong).as_py(): raise RecordsFailedError(wrong, "c1 is what it must not be")
        return records.evolve(topic="good")
"""


def test_records_that_it_names_as_failed_stop_the_connector(code):
    code(FAILS)
    with pytest.raises(TransformError, match=r"transforms\.t0 \(Mine\) failed on a record of the topic dbz\.shop\.t: c1 is what"):
        run(changes(), MINE)


def test_records_that_it_names_as_failed_are_dropped_if_that_is_tolerated(code, caplog):
    code(FAILS)
    assert [each.topic for each in run(changes(), MINE, tolerant=True)] == ["good"] * 3
    assert "1 dropped, as errors.tolerance is all" in caplog.text


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize(
    ("result", "says"),
    [
        ("int(records.value[0].as_py()['after']['c1'])", "ValueError (mine.py, line 7) in it"),
        ("(int(each.as_py()['after']['c1']) for each in records.value)", "ValueError (mine.py, line 7) in it"),
        ("records.evolve(timestamp=pa.array([2**64 - 1] * 4, pa.uint64()))", "ArrowInvalid"),
        ("5", "TypeError"),
        ("[records.topic]", "it returned str, not ConnectRecords"),
        ("records.evolve(topic='')", "the topic must be a text that is not empty"),
        ("records.evolve(value=records.value[1:])", "the number of values is not that of the records"),
        ("records.evolve(key=records.key[1:])", "there are 3 values for 4 records"),
        ("records.evolve(value_schema=Schema(Type.STRING))", "of which not every value is a string"),
        ("records.evolve(key=pa.nulls(4, pa.int64()), key_schema=Schema(Type.INT64))", "the key has a null, and its schema is not"),
        ("records.evolve(timestamp=pa.nulls(4, pa.int64()))", "timestamp must be 4 integers without a null"),
        ("records.evolve(has_value=pa.array([True]))", "has_value must be 4 booleans without a null"),
        ("(_ for _ in ()).throw(RecordsFailedError(pa.array([False] * 4), 'x'))", "RecordsFailedError names none of its records"),
    ],
)
def test_what_it_returns_is_checked_and_no_value_is_told(code, result, says, tolerant):
    code(f"def __call__(self, records): return {result}")
    with pytest.raises(TransformError) as caught:
        run(changes(), MINE, tolerant=tolerant)
    assert says in str(caught.value)
    shown = "".join(traceback.TracebackException.from_exception(caught.value).format())  # as PySpark shows it
    assert "'a'" not in shown
    assert str(2**64 - 1) not in shown


def test_one_that_says_that_it_keeps_topics_must_keep_them(code):
    code("def __call__(self, records): return records.evolve(topic='x')", head="keeps_topics = True")
    with pytest.raises(TransformError, match="it has keeps_topics, and its records are for the topic x"):
        run(changes(), MINE)


def test_nulls_in_required_fields_are_told_by_name(code):
    given = rows({"a": (Schema(Type.INT32), pa.array([1]))})
    records = connect_records(given)
    schema = records.value_schema.with_(fields=(Field("b", Schema(Type.INT32)),))
    value = pa.array([{"b": None}], pa.struct([("b", pa.int32())]))
    with pytest.raises(ValueError, match="b has a null, and its schema is not optional"):
        Conversion().source_records(records.evolve(value=value, value_schema=schema), records, given)
    with pytest.raises(ValueError, match="the array has no b, which the schema has"):
        Conversion().source_records(records.evolve(value_schema=schema), records, given)


@pytest.mark.parametrize(
    ("type_", "says"),
    [
        ("python:nowhere_at_all.X", "transforms.a: the module nowhere_at_all can't be imported (ModuleNotFoundError"),
        ("python:mine.Other", "transforms.a: the module mine has no Other"),
        ("python:Mine", "write python:package.module.Name"),
        ("python:mine.NotCallable", "what python:mine.NotCallable makes can't be called with records"),
        ("python:mine.Needy", "python:mine.Needy can't be made of its options: KeyError (test_python_transform.py, line"),
        ("python:mine.Needy", ": 'needed'"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(code, type_, says):
    module = code("def __call__(self, records): return records")
    module.NotCallable = lambda options: 5
    module.Needy = lambda options: options["needed"]
    with pytest.raises(ConfigError) as caught:
        unit_settings({"transforms": "a", "transforms.a.type": type_})
    assert says in str(caught.value)


def test_offline_a_module_that_is_on_another_machine_is_a_warning():
    problems = Problems(offline=True)
    properties = {"transforms": "a", "transforms.a.type": "python:nowhere_at_all.X"}
    properties |= {"converters": "c", "c.type": "python:nowhere_at_all.Y"}
    settings = from_mapping(USUAL | properties, problems=problems)
    assert len([each for each in settings.warnings if "nowhere_at_all can't be imported" in each]) == 2
    assert (settings.transform_chain, settings.custom_converters) == ((), ())
