"""Fields and properties of values, where languages agree about them."""

from __future__ import annotations

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions.evaluation import Evaluation
from tailrace.transforms.expressions.spelling import spelt
from tailrace.transforms.expressions.syntax import Call, Literal, Member
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import (
    NULL,
    Cases,
    FieldOf,
    HeaderOf,
    Headers,
    PythonStructs,
    SchemaOf,
    Structs,
    Value,
    described,
)


def member_of(evaluation: Evaluation, value: Value, node: Member, mask: Mask) -> Cases | None:
    """A field of a struct, a header, or its value; None if there is none of that name."""
    if isinstance(value, Structs | PythonStructs):
        found = evaluation.reading.field(value, node.name)
        return None if found is None else found.within(mask)
    if isinstance(value, Headers):
        return evaluation.reading.headers(node.name).within(mask)
    if isinstance(value, HeaderOf) and node.name == "value":
        return evaluation.reading.header_value(value.header).within(mask)
    if isinstance(value, HeaderOf) and node.name == "schema":
        return Cases([(mask, SchemaOf(value.header.layout.schema))])
    return None


def schema_call(value: Value, node: Call, mask: Mask, n: int) -> Cases | None:
    """A method of a schema or a field; None if it has no such method."""
    if isinstance(value, SchemaOf) and node.method == "field":
        (name,) = node.arguments
        wanted = name.value if isinstance(name, Literal) else None
        return _first(mask, [FieldOf(each) for each in value.schema.fields if each.name == wanted])
    if node.method == "schema" and isinstance(value, SchemaOf | FieldOf | Structs | PythonStructs):
        schema = value.field.schema if isinstance(value, FieldOf) else value.schema
        return Cases([(mask, SchemaOf(schema))])
    if node.method == "name" and isinstance(value, SchemaOf | FieldOf):
        return named(value, mask, n)
    return None


def named(value: SchemaOf | FieldOf, mask: Mask, n: int) -> Cases:
    """The name of a schema, which may have none, or of a field."""
    name = value.schema.name if isinstance(value, SchemaOf) else value.field.name
    return _first(mask, [] if name is None else [Texts.constant(name, n)])


def fail_of_null(evaluation: Evaluation, node: Member | Call, mask: Mask, what: str) -> None:
    """Fail the records that ask a null for something."""
    name = node.name if isinstance(node, Member) else f"{node.method}()"
    evaluation.fail(mask, f"{spelt(node.of)} is {what} there, and has no {name}: write {spelt(node.of)}?.{name}")


def fail_unknown(evaluation: Evaluation, value: Value, node: Member | Call, mask: Mask) -> None:
    """Fail the records that ask a value for what it has not."""
    if isinstance(node, Call):
        evaluation.fail(mask, f"{spelt(node.of)} is {described(value)}, which has no method {node.method}()")
    elif isinstance(value, Structs | PythonStructs):
        evaluation.fail(mask, f"{spelt(node.of)} has no field {node.name}: topic.regex chooses the topics that have it")
    else:
        evaluation.fail(mask, f"{spelt(node.of)} is {described(value)}, which has no field {node.name}")


def nobody(n: int) -> Mask:
    """No record."""
    return np.zeros(n, np.bool_)


def _first(mask: Mask, values: list[Value]) -> Cases:
    return Cases([(mask, values[0] if values else NULL)])
