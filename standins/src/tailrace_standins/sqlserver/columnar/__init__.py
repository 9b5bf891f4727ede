"""Queries that are answered from columns of Arrow, beside the rows in SQLite: of large tables, as connectors read them.

`conditions` and `parts` are what such queries of any table may have; `cdc` uses them for change tables. The other modules are
for the tables that users made.
"""
