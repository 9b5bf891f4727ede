"""Topics from fields, keys, values or headers: what the ExtractTopics of Confluent and Aiven share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tailrace.changes.field_paths import gathered, nulls_of, path_to
from tailrace.changes.layouts import Layout, Values
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.schema.connect import Type
from tailrace.transforms.casts import cast
from tailrace.transforms.column_values import column_of, has_column
from tailrace.transforms.failures import Failures
from tailrace.transforms.logical_types import LOGICAL_NAMES


@dataclass(frozen=True, slots=True)
class TopicField:
    """Where topics are found.

    Attributes:
        names: on the way to the field; none: the whole.
        what: of it, for messages.
        types: that it may have.
        skips: records without a text keep their topic; else they fail.

    """

    names: tuple[str, ...]
    what: str
    types: frozenset[Type]
    skips: bool


def by_topic(records: SourceRecords, layout: Layout, wanted: TopicField, failures: Failures) -> Sequence[SourceRecords]:
    """The records under the topics that the field gives; `layout` has it, and all have a value there."""
    if not len(records):
        return ()
    path = path_to(layout.root, wanted.names)
    if path is None:
        return (without_topic(records, wanted, failures),)
    node, schema = path.node, path.schema
    if schema.type not in wanted.types or schema.name in LOGICAL_NAMES or not has_column(node):
        return (failures.all_of(records, f"{wanted.what} is a {schema.name or schema.type}, which names no topic"),)
    null = nulls_of(records, path)
    column = column_of(records, node) if isinstance(node, Values) else gathered(records, path)
    made, _ = cast(column, schema, Type.STRING)
    texts = pl.select(pl.when(pl.Series(~null)).then(pl.Series(made.to_arrow()).cast(pl.String))).to_series().fill_null("")
    return _grouped(records, texts, wanted, failures)


def without_topic(records: SourceRecords, wanted: TopicField, failures: Failures) -> SourceRecords:
    """Records of which the field is missing or null."""
    return records if wanted.skips else failures.all_of(records, f"{wanted.what} is missing, null or empty")


def _grouped(records: SourceRecords, texts: pl.Series, wanted: TopicField, failures: Failures) -> Sequence[SourceRecords]:
    topics = texts.unique(maintain_order=True)
    found = []
    for topic in topics:
        these: Mask = np.asarray((texts == topic).to_numpy(), np.bool_)
        chosen = records.where(these)
        found.append(replace(chosen, topic=topic) if topic else without_topic(chosen, wanted, failures))
    return found
