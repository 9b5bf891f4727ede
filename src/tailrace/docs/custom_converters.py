"""Renders the reference page of custom converters from their specs."""

from __future__ import annotations

from typing import Final

from tailrace.connectors.registry import SPECS
from tailrace.connectors.spec import Spec
from tailrace.custom_converters.spec import ConverterSpec
from tailrace.docs.tables import code, property_cells, table
from tailrace.object_paths import load_object

_INTRODUCTION: Final = """\
# Custom converters

<!-- Rendered from the specs of custom converters: python -m tailrace.docs -->

`converters=a,b` names converters of column values in order, `a.type` is the class of one, and `a.<property>` is a property of
it. The first that takes a column counts. It decides the schema of the field and its values, in keys and values of events, in
the snapshot and in the log, and converts the column's default. Rules for columns (truncation, masks, hashes, propagated types)
apply to what it makes. [How to write one in Python](../guides/custom-converters.md).

All of it is checked before Spark starts. A property that the class does not have is a warning, and one that is nearly the name
of one is an error. Classes in Java of one's own can't be run.
"""
_HEADER: Final = ("Property", "Type", "Default", "Allowed", "Meaning")


def custom_converters_page() -> str:
    """The page of custom converters."""
    return "\n".join([_INTRODUCTION, *(_of_database(spec) for spec in SPECS.values())])


def _of_database(spec: Spec) -> str:
    paths = list(dict.fromkeys(spec.custom_converters.values()))
    if not paths:
        return f"## {spec.database}\n\nDebezium has none; those in Python work.\n"
    return "\n".join([f"## {spec.database}", "", *(_section(load_object(path)) for path in paths)])


def _section(spec: ConverterSpec) -> str:
    rows = [(*property_cells(prop), prop.doc) for prop in spec.properties]
    if spec.of_columns is not None:
        rows.append((code(spec.of_columns_name), "text", "", "", spec.of_columns_doc))
    names = " or ".join(map(code, spec.names))
    return "\n".join([f"### {spec.names[0].rpartition('.')[2]}", "", f"{names}. {spec.doc}", "", *table(_HEADER, rows), ""])
