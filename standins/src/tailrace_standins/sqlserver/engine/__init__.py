"""T-SQL over SQLite: the engine behind the wire.

- `server.py` the server (`Engine`), `session.py` a session
- `parsing/` T-SQL as trees; `tree.py` those trees (`nodes.py`, `statement_nodes.py`, `definition_nodes.py`)
- `compiling/` queries of T-SQL as queries of SQLite, with `scope.py` and `visibility.py`
- `types.py`, `stored.py`, `convert*.py`, `moments.py`, `collations.py` values: their types, how SQLite holds them, order
- `functions/`, `connection.py` what compiled statements call
- `interpret.py` the statements of a batch: `variables.py`, `raising.py`, `session_statements.py`, `options.py`, `calls.py`
- `reading.py` with `reading_locks.py`, `dml.py` with `dml_plans.py`, `written_rows.py`, `outputs.py`, `keys.py` running
- `catalog.py`, `catalog_file.py`, `definitions.py` definitions; `ddl.py`, `databases.py`, `alter.py`, `altered_tables.py`
- `versions.py`, `transactions.py`, `locks.py` row versions, transactions, locks
- `system.py` where system objects are registered; `metadata/` the engine's own
- `log.py` what a transaction changed, for `cdc`
"""
