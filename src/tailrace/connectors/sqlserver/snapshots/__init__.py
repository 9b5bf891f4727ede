"""Snapshots of SQL Server: keys of tables, chunks, and what the change tables say beside them."""
