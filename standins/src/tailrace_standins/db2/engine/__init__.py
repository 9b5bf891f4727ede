"""Db2's SQL over the shared storage.

`parsing/` makes trees of statements, `compiling/` text for SQLite of trees, `changing.py` and `defining.py` run what writes,
`session.py` runs the rest; `server.py` is the whole.
"""
