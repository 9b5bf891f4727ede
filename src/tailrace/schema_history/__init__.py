"""Where a configuration keeps the schema history besides the progress; what stands in it is `schema/history.py`'s."""
