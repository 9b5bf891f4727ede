"""What is true of any database that a stand-in plays over SQLite: rows in versions, locks, transactions, a log.

It knows no SQL dialect and no product's words. A stand-in has tables whose rows lie in SQLite as versions, reads and writes
them with statements of its own making, and composes the rest of this:

- `store.py` what all sessions of a server share; `sessions.py` what a stand-in's sessions, tables and errors must have
- `versions.py` making and ending row versions; `visibility.py`, `reading.py` which of them a reader sees, waits for, locks
- `locks.py` the lock manager; `waiting.py` its use by a session
- `transactions.py` statements, commits, savepoints, what is taken back
- `log.py` what a transaction changed, handed over at its commit; `table_changes.py` until when a copy of a table is true
- `sqlite.py` the file

Levels of isolation are put together of these. Who sees one moment calls `begin_snapshot`. Who waits for rows that others
changed calls `wait_for_rows`. Who keeps what was read also calls `lock_rows`, or locks the table. Who reads what is not
committed yet uses `DIRTY`.
"""
