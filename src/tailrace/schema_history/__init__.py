"""Where a copy of the schema history is stored besides the progress; `schema/history.py` defines its records."""
