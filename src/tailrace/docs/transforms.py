"""Renders the reference page of transforms and predicates from their specs."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Property
from tailrace.docs.tables import property_cells, table
from tailrace.transforms.compared import compared_with
from tailrace.transforms.registry import (
    REFUSED,
    REFUSED_PACKAGES,
    predicate_names,
    predicate_spec,
    transform_names,
    transform_spec,
)
from tailrace.transforms.spec import PredicateSpec, TransformSpec

_INTRODUCTION: Final = """\
# Transforms

<!-- Rendered from the specs of transforms: python -m tailrace.docs -->

tailrace runs Kafka Connect's single message transforms and Debezium's by their Java class names, with the properties that
they have there. They work on columns, not record by record. `transforms=a,b` names them in order, `transforms.a.type` is the
class of one, and `transforms.a.<property>` is a property of it. A property that the class does not have is a warning, and one
that is nearly the name of one is an error. All of it is checked before Spark starts.

A transform sees every record: changes with their tombstones, and, where they are switched on, heartbeats, transaction
boundaries, schema changes and notifications. `transforms.a.predicate` names a predicate of `predicates`, and the transform is
then for the records that it is true of, or, with `transforms.a.negate=true`, for all others.

A record that a transform can't be applied to stops the connector, as in Kafka Connect. With `errors.tolerance=all` it is
dropped, counted and logged; so is one that a converter fails on.

Topics are created, and tables assigned to lanes, by the topic behind the transforms. If that follows from what records
contain (a column, a condition), one lane delivers everything, and a warning says so where `tasks.max` is more.

Classes in Java of one's own can't be run; a transform in Python can: `transforms.a.type=python:package.module.Name`
([how to write one](../guides/transforms.md#transforms-in-python)). It has the properties that it wants.
"""
_HEADER: Final = ("Property", "Type", "Default", "Allowed", "Meaning")


def transforms_page() -> str:
    """The page of transforms."""
    specs = [found[0] for name in transform_names() if (found := transform_spec(name) or transform_spec(f"{name}$Key"))]
    predicates = [spec for name in predicate_names() if (spec := predicate_spec(name)) is not None]
    refused = [f"- `{name}`: {why}." for name, why in REFUSED.items()]
    refused += [f"- `{package}*`, but for those above: {why}." for package, why in REFUSED_PACKAGES.items()]
    parts = [
        _INTRODUCTION,
        *(_section(each, "##") for each in specs),
        "## Predicates\n",
        *(_section(each, "###") for each in predicates),
        "## Classes that are refused\n",
        "\n".join(refused) + "\n",
    ]
    return "\n".join(parts)


def _section(spec: TransformSpec | PredicateSpec, heading: str) -> str:
    short = spec.name.rpartition(".")[2]
    has_parts = isinstance(spec, TransformSpec) and spec.has_parts
    names = f"`{spec.name}$Key`, `{spec.name}$Value`" if has_parts else f"`{spec.name}`"
    rows = [*table(_HEADER, map(_row, spec.properties)), ""] if spec.properties else []
    version = compared_with(spec.name)
    proof = f"Compared with the class of {version}." if version else "Made from its documentation, not compared with the class."
    return "\n".join([f"{heading} {short}", "", f"{names}. {spec.doc} {proof}", "", *rows])


def _row(prop: Property) -> tuple[str, ...]:
    return (*property_cells(prop), prop.doc if prop.in_settings else f"Ignored: {prop.reason}.")
