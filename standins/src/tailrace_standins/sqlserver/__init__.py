"""A SQL Server to run against: TDS on the wire, T-SQL, change data capture.

It is for tests and the demo. Its rules come from Microsoft's documentation; docstrings name the pages.

- `values.py`, `session.py`: the interface between wire and engine
- `tds/`: the wire protocol: packets, TLS, login, tokens, types as bytes, remote procedure calls
- `engine/`: T-SQL over SQLite: catalog, row versions, locks, transactions, metadata procedures
- `server.py`, `__main__.py`, `inventory.py`: the listening socket, the command, a sample database
- `cdc/`: log sequence numbers, the capture job, change tables, functions and procedures of change data capture
"""
