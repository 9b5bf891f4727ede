"""Shortcuts: queries of connectors are recognised by their text and answered from Arrow columns.

All other queries go through SQLite. SQLite can answer every query and gives the same rows, but more slowly. `arrays`,
`conditions` and `parts` are common to queries of any table; `tables` is for users' tables, `change_tables` for those of change
data capture. `switch.py` turns shortcuts off.
"""
