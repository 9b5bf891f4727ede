"""Snapshots of any database: a lane's part as batches of records, what is told of it, and how tables are shared out.

What rows are and what the log says of them, a connector's own `DatabaseOfSnapshot` gives (`database.py`).
"""
