"""From trees to SQLite's text with Db2's types.

A table becomes a subquery of its visible row versions; which these are is put in when the statement runs (`VISIBLE`). Columns
of subqueries are named `c0`, `c1`…, so that SQLite's rules for names do not matter. Text is compared without regard to
trailing blanks, exact numbers by their value (collations).
"""
