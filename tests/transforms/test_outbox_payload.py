"""Payloads become columns at once as they do one by one: what the compiled loop finds is what Python finds."""

import json
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.transforming import rows
from tailrace.changes.field_paths import path_to
from tailrace.changes.layout_edits import with_columns
from tailrace.changes.layouts import Layout
from tailrace.changes.source_records import every_record
from tailrace.changes.views import vector_of
from tailrace.encoding.avro.messages import AvroMessages
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.json import JsonFormat, JsonMessages
from tailrace.encoding.registered.framing import Framing
from tailrace.registry.schemas import SchemaId
from tailrace.schema.connect import Schema, Type
from tailrace.transforms import outbox_payload
from tailrace.transforms.json_columns import struct_over
from tailrace.transforms.json_scan import NO_SHAPE, scanned
from tailrace.transforms.outbox_json import JsonSchemas
from tailrace.transforms.outbox_payload import PayloadExpander

TEXT = Schema(Type.STRING, optional=True)
IN_JSON = JsonMessages(JsonFormat())


def texts_of(payloads):
    return vector_of([None if text is None else text.encode() for text in payloads])


def given_up(texts):
    return scanned(texts).__class__(np.full(texts.length, NO_SHAPE), np.zeros(texts.length, np.int64), None, [], [], ())


class OneId:
    """A registry that gives one id to everything."""

    def id_for(self, topic, schema):
        assert topic, schema.text
        return SchemaId(1)


def in_avro():
    return AvroMessages("value", OneId(), Framing.PREFIX_4, AvroOptions())


def expanded(payloads, schemas=None, messages=IN_JSON):
    """What becomes of each payload: the message, in JSON with its schema, "stays" or "fails"."""
    records = rows({"payload": (TEXT, pa.array(payloads, pa.string()))})
    path = path_to(records.value.root, ("payload",))
    found = PayloadExpander("payload", schemas or JsonSchemas()).expanded(records, path)
    seen = ["fails" if failed else "stays" for failed in found.failed]
    for code in range(1, len(found.forms) + 1):
        chosen = np.flatnonzero(found.codes == code)
        form = found.form(int(chosen[0]))
        first, role = len(records.columns), len(records.roles)
        made = with_columns(records.take(chosen), found.columns(chosen, form), every_record(len(chosen)))
        layout = Layout(struct_over(form.schema, first, role, lists=form.part is not None))
        for row, text in zip(chosen, messages.render(layout, made).to_arrow().to_pylist(), strict=True):
            seen[row] = text
    return seen


def expanded_one_by_one(patched, payloads, *args, **options):
    patched.setattr(outbox_payload, "scanned", given_up)
    return expanded(payloads, *args, **options)


def assert_alike(payloads, schemas=None):
    at_once = expanded(payloads, schemas)
    with pytest.MonkeyPatch.context() as patched:
        assert at_once == expanded_one_by_one(patched, payloads, schemas)
    return at_once


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=2, allow_nan=False).map(float),
    st.text(max_size=30),
)
names = st.sampled_from(["a", "b", "naïve", "a b", "payload", 'q"', ""])
values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=4)), max_leaves=12
)
objects = st.dictionaries(names, values, max_size=5)


@given(st.lists(objects, min_size=1, max_size=5), st.booleans(), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_any_objects_become_what_they_become_one_by_one(found, is_ascii, nulls_as_bytes, seed):
    """Some are repeated with other values, as payloads of one kind of event are."""
    separators = [(",", ":"), (", ", ": "), (" ,\n", "\t: ")]
    choose = random.Random(seed)
    payloads = [json.dumps(each, ensure_ascii=is_ascii, separators=choose.choice(separators)) for each in found * 2]
    assert_alike(payloads, JsonSchemas(nulls_as_bytes=nulls_as_bytes))


@given(st.lists(st.text(alphabet='{}[]:,"\\ \nabetrufalsn019-+.E', max_size=25), min_size=1, max_size=20))
@settings(max_examples=150, deadline=None)
def test_what_is_no_json_becomes_what_it_becomes_one_by_one(found):
    assert_alike([*found, *('{"a":' + each + "}" for each in found), *('{"a":1' + each for each in found)])


ORDER = '{{"id": {}, "who": "{}", "total": {}, "paid": {}, "lines": [{}], "at": {{"city": "{}", "zip": null}}, "tags": []}}'
LINE = '{{"sku": "P{}", "quantity": {}, "price": {}}}'


def an_order(number):
    lines = ", ".join(LINE.format(number + k, k, k / 8) for k in range(1 + number % 4))
    return ORDER.format(number, f"someone with a long name {number}", number / 4, "true" if number % 2 else "false", lines, "Ulm")


def test_columns_are_the_same_in_avro():
    payloads = [an_order(number) for number in range(20)]
    at_once = expanded(payloads, messages=in_avro())
    with pytest.MonkeyPatch.context() as patched:
        assert at_once == expanded_one_by_one(patched, payloads, messages=in_avro())
    assert at_once[3][5:].startswith(b"\x02" + b"\x02\x06" + b"\x02\x34someone with a long name 3")


def test_payloads_of_one_shape_are_not_parsed_one_by_one(monkeypatch):
    parsed = []
    whole = outbox_payload.parsed
    monkeypatch.setattr(outbox_payload, "parsed", lambda text: parsed.append(text) or whole(text))
    made = expanded([an_order(number) for number in range(500)])
    assert len(parsed) == 1
    payload = json.loads(made[2])["payload"]
    assert payload == {
        "id": 2, "who": "someone with a long name 2", "total": 0.5, "paid": False,
        "lines": [{"sku": f"P{2 + k}", "quantity": k, "price": k / 8} for k in range(3)], "at": {"city": "Ulm"},
    }  # fmt: skip


def test_a_shape_is_inferred_once_for_all_batches(monkeypatch):
    parsed = []
    whole = outbox_payload.parsed
    monkeypatch.setattr(outbox_payload, "parsed", lambda text: parsed.append(text) or whole(text))
    records = rows({"payload": (TEXT, pa.array([an_order(1)], pa.string()))})
    expander, path = PayloadExpander("payload", JsonSchemas()), path_to(records.value.root, ("payload",))
    for _ in range(3):
        expander.expanded(records, path)
    assert len(parsed) == 1


@pytest.mark.parametrize(
    "payload",
    [
        '{"a": "tab\\t, quote\\", backslash\\\\, slash\\/, line\\n"}',
        '{"a": "\\u00e9 and more than twelve bytes"}',
        '{"a": [[1], [2, 3]]}',
        '{"a": [{"b": [1, 2]}]}',
        '{"a": [{"b": 1}, {"b": 2, "c": "x"}]}',
        '{"a": [1, 2147483648]}',
        '{"a": [null, null]}',
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": "x"}}',
        '{"a": -0, "b": -0.0, "c": 0e5, "d": 1E2}',
        '{"a": 9223372036854775807, "b": -9223372036854775808, "c": 9223372036854775808}',
        '{"a": 0.30000000000000004, "b": 12345678901234567890.5, "c": 1e400, "d": 4.9e-324, "e": 0.1}',
        '{"a": 01}',
        '{"a": tru}',
        '{"a": 1} and more',
        '{"a": "\x01"}',
        '{"a": NaN}',
        "{}",
        "[]",
        "[1]",
        "12",
        "",
        " {}",
        None,
        '{"' + "a" * 3000 + '": 1}',
        '{"a": ' * 70 + "1" + "}" * 70,
    ],
)
def test_rare_payloads_are_as_one_by_one(payload):
    assert_alike([payload, '{"a": 5}', payload])


def test_members_whose_names_are_adjusted_are_as_one_by_one():
    assert_alike(['{"a b": 1, "c": 2}'] * 2, JsonSchemas(adjust=lambda name: name.replace(" ", "_")))


def test_more_shapes_than_are_kept_are_as_one_by_one():
    assert_alike([f'{{"n{number % 300}": {number}}}' for number in range(700)])


def test_values_that_need_more_room_than_was_guessed():
    made = assert_alike(['{"a": [' + ",".join("1" * 4000) + "]}"] * 3)
    assert len(json.loads(made[2])["payload"]["a"]) == 4000
