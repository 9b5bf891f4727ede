"""T-SQL over SQLite: the engine behind the wire.

- `server.py` the server (`Engine`), `session.py` a session
- `interpret.py` the statements of a batch, `options.py` SET, `calls.py` EXEC
- `lexer.py`, `parse*.py` T-SQL as trees; `nodes.py`, `tree.py` those trees
- `types.py`, `stored.py`, `convert*.py`, `moments.py`, `collations.py` values: their types, how SQLite holds them, order
- `scope.py`, `compile_*.py` queries of T-SQL as queries of SQLite
- `functions*.py`, `aggregates.py`, `connection.py` what those call
- `catalog.py`, `definitions.py`, `ddl.py`, `alter.py`, `catalog_file.py` definitions
- `reading.py`, `dml*.py`, `keys.py` running; `versions.py`, `transactions.py`, `locks.py` row versions, transactions, locks
- `system.py` where system objects are registered: `views.py`, `information_schema.py`, `server_views.py`, `procedures.py`
- `session_functions.py` functions and @@variables that ask the session
- `log.py` what a transaction changed, for `cdc`
"""
