"""Kafka Connect's transforms (SMTs) and Debezium's, as functions from columns to columns.

`registry` finds a transform by its Java class; each transform has a file of its own, with its properties and its `SPEC`
(`spec.py`). `configured` reads them from a configuration, before anything runs. `chain` applies them in order, with predicates.
`layout_edits`, `failures` and `changes/field_paths.py` are what transforms are written with.
"""
