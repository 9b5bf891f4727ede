"""DRDA as Db2 on Linux speaks it, at the manager level SQLAM 11.

- `segments.py`, `objects.py`, `codepoints.py`, `cursor.py`: DSS segments, DDM objects and their numbers
- `types.py`, `decimals.py`, `writing.py`, `reading.py`: FD:OCA types, values to bytes and back
- `communication_area.py`, `descriptors.py`: SQLCARD, SQLDARD, QRYDSC
- `packages.py`, `handshake.py`, `queries.py`, `commands.py`, `connection.py`: the conversation

Sources: The Open Group, DRDA V5 volumes 1 (DRDA), 2 (FD:OCA) and 3 (DDM); where these leave a choice, what the drivers accept
(docs/reference/db2-wire.md).
"""
