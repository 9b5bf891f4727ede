"""Compiles T-SQL queries to SQLite queries, with the T-SQL type of each expression; each compiler builds on the one before.

- `values.py`, `operators.py`, `expressions.py` expressions
- `signatures.py`, `special.py`, `calls.py` functions
- `sources.py` FROM, `sets.py` UNION, ORDER BY and other parts around a SELECT, `queries.py` SELECT
"""
