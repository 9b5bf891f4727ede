"""Snapshots of SQL Server: keys of tables, chunks, and their changes in the change tables."""
