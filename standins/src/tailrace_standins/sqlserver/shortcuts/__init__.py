"""Shortcuts: queries as connectors ask them, recognised in their text and answered from columns of Arrow.

What is not recognised goes through SQLite, which every query can; it gives the same rows, slower. `arrays`, `conditions` and
`parts` are what such queries of any table may have; `tables` is for the tables that users made, `change_tables` for those of
change data capture. `switch.py` turns them off.
"""
