"""A SQL Server to run against: TDS on the wire, T-SQL, change data capture.

A test bed and a demo. Its rules come from Microsoft's documentation; each docstring names the page.

- `values.py`, `session.py`: what crosses from the wire to the engine and back
- `tds/`: the wire: packets, TLS, login, tokens, types as bytes, remote procedure calls
- `engine/`: T-SQL over SQLite: catalog, versions of rows, locks, transactions, metadata procedures
- `server.py`, `__main__.py`, `inventory.py`: the listening socket, the command, a database to begin with
- `cdc/`: log sequence numbers, the capture job, change tables, functions and procedures of change data capture
"""
