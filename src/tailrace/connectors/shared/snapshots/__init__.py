"""Snapshots of any database: a lane's part as batches of records, its notifications, and the distribution of tables.

A connector's own `SnapshotDatabase` (`database.py`) supplies the rows, and what the log says about them.
"""
