"""Queries of T-SQL as queries of SQLite, each expression with its T-SQL type; the compilers build on each other.

- `values.py`, `operators.py`, `expressions.py` expressions
- `signatures.py`, `special.py`, `calls.py` functions
- `sources.py` FROM, `sets.py` what stands around a SELECT, `queries.py` the SELECT
"""
