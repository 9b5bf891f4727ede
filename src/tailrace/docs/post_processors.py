"""Renders the reference page of post processors."""

from __future__ import annotations

from typing import Final

from tailrace.config.reselection import RESELECT, RESELECT_PROPERTIES
from tailrace.connectors.registry import SPECS
from tailrace.docs.tables import code, property_cells, table

_INTRODUCTION: Final = """\
# Post processors

<!-- Rendered from the tables of properties: python -m tailrace.docs -->

`post.processors=a` names post processors in order, `post.processors.a.type` is the class of one, and
`post.processors.a.<property>` is a property of it; `a.type` and `a.<property>`, as in older configurations, mean the same.
There is one class. Those of one's own are Java and can't be run: write
[a transform in Python](../guides/transforms.md#transforms-in-python).

## ReselectColumnsPostProcessor

{class_name}. It reads again from the table what a change of a row lacks: nulls, and values for which
`unavailable.value.placeholder` stands. Which these are depends on the database:

{lacking}

A value that comes so is the row's when the change is read from the log, which is later than the change: it may belong to a
later change of the row, which is not delivered yet. That is the same with Debezium. Each change is still delivered exactly
once, but one that is read again after a crash may come with other values than it would have had.

- Inserts and updates are completed, in `after` alone. Rows of a snapshot, deletes and rows of signal tables are not, nor are
  tables without a key.
- A row is found by its primary key, or with `reselect.use.event.key` by the key of the event. Columns of integers, text, bytes,
  decimals, dates and GUIDs can be in it; with others it is as if the row were not found.
- All rows of a batch that lack something are selected by statements of up to 200 rows, in a session of their own.
- Custom converters, masks, hashes and truncation apply to what is read again. (Debezium writes it without masks and hashes.)
- The values have the form that a snapshot gives them.
- DataFrames refuse it: a task that is repeated must give the same rows.
"""
_HEADER: Final = ("Property", "Type", "Default", "Allowed", "Meaning")


def post_processors_page() -> str:
    """The page of post processors."""
    rows = [(*property_cells(prop), prop.doc) for prop in RESELECT_PROPERTIES]
    lacking = "\n".join(table(("Database", "What the log lacks"), [(spec.database, spec.lacks) for spec in SPECS.values()]))
    introduction = _INTRODUCTION.format(class_name=code(RESELECT), lacking=lacking)
    return "\n".join([introduction, *table(_HEADER, rows), ""])
