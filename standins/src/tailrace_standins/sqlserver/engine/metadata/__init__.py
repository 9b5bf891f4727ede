"""What a server tells of itself: system views, metadata functions, system procedures.

- `views.py` what views are made of; `catalog_views.py`, `constraint_views.py`, `information_schema.py`, `server_views.py`
- `object_functions.py`, `session_functions.py` functions and @@variables; `view_types.py` types as these number them
- `arguments.py`, `odbc.py`, `procedures.py` procedures
"""
