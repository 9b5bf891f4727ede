"""A stand-in for Db2: so far its wire protocol, DRDA, over any engine that `session.py` describes.

- `values.py`, `session.py`: the interface between wire and engine
- `drda/`: the wire protocol: segments, objects, types as bytes, descriptors, commands, connections
- `server.py`: the listening socket
"""
