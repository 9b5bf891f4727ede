"""Rows of a SELECT as columns, with the values that the log would have for the same rows.

One pass of compiled code transcodes a prepared statement's rows into the row images of an insert in the log,
and the decoder of the log's row events makes vectors of them. So a type is read in one place, and a
snapshot has the same values as the stream. `plans.py` says what is selected and how it is transcoded, `rows.py` runs
it; `keys.py` makes the bytes that identify rows, from selected rows and from the log's alike, `whole_rows.py` those of
rows without a key.
"""

from tailrace.connectors.mysql.selecting.keys import raw_key_plans
from tailrace.connectors.mysql.selecting.plans import SelectPlans, plan_selection
from tailrace.connectors.mysql.selecting.rows import SelectedRows, Selection
from tailrace.connectors.mysql.selecting.whole_rows import json_form, raw_row_plans

__all__ = [
    "SelectPlans",
    "SelectedRows",
    "Selection",
    "json_form",
    "plan_selection",
    "raw_key_plans",
    "raw_row_plans",
]
