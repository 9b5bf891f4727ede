"""Rows of a SELECT as columns, with the values that the log would give for the same rows.

A prepared statement's rows are turned, by one pass of compiled code, into the row images of an insert as the log
would hold it, and the decoder of the log's row events makes vectors of them. So a type is read in one place, and a
snapshot shows a row as the stream does. `plans.py` says what is selected and how it is turned over, `rows.py` runs
it; `keys.py` makes the bytes that tell rows apart, from selected rows and from the log's alike, `whole_rows.py` those of
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
