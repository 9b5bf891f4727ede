"""T-SQL over SQLite: the engine behind the wire.

- `server.py` the server (`Engine`), `session.py` a session
- `parsing/` T-SQL as trees; `tree.py` those trees (`nodes.py`, `statement_nodes.py`, `definition_nodes.py`)
- `compiling/` queries of T-SQL as queries of SQLite, with `scope.py`
- `types.py`, `stored.py`, `convert*.py`, `temporal.py`, `collations.py` values: types, stored form in SQLite, sort
order
- `functions/`, `connection.py` Python functions that compiled statements call
- `interpret.py` the statements of a batch: `variables.py`, `raising.py`, `session_statements.py`, `options.py`, `calls.py`
- `reading.py` with `reading_locks.py`, `dml.py` with `dml_plans.py`, `written_rows.py`, `outputs.py`, `keys.py` execution
- `catalog.py`, `catalog_file.py`, `definitions.py` definitions; `ddl.py`, `databases.py`, `alter.py`, `altered_tables.py`
- `locks.py`, `session_transactions.py` lock modes, transactions and their errors, over `tailrace_standins.storage`
- `system.py` the registry of system objects; `metadata/` the engine's own
- `log.py` the storage's log of these tables, for `cdc`
"""
