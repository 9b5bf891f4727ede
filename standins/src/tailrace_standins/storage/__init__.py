"""Storage for stand-ins of databases, over SQLite: row versions, locks, transactions, a log.

It knows no SQL dialect and no product. A stand-in stores rows as versions in SQLite tables, reads and writes them with
statements that it makes itself, and composes the rest:

- `store.py` the state that all sessions of a server share; `sessions.py` the protocols of a stand-in's sessions, tables, errors
- `versions.py` making and ending row versions; `visibility.py`, `reading.py` which of them a reader sees, waits for, locks
- `locks.py` the lock manager; `waiting.py` its use by a session
- `transactions.py` statements, commits, savepoints, rollback
- `log.py` what a transaction changed, passed on at its commit; `table_changes.py` until when a copy of a table is valid
- `sqlite.py` the file

Isolation levels are composed of these. A snapshot reader calls `begin_snapshot`. A reader that waits for rows that others
changed calls `wait_for_rows`; one whose reads must be repeatable also calls `lock_rows`, or locks the table. A reader of
uncommitted data uses `DIRTY`.
"""
