"""The server's metadata: system views, metadata functions, system procedures.

- `views.py` the base of views; `catalog_views.py`, `constraint_views.py`, `information_schema.py`, `server_views.py`
- `object_functions.py`, `session_functions.py` functions and @@variables; `view_types.py` their numbers of types
- `arguments.py`, `odbc.py`, `procedures.py` procedures
"""
