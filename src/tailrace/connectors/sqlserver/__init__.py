"""The SQL Server connector: change tables of change data capture, read as Arrow batches."""
