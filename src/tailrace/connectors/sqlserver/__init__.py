"""The SQL Server connector: reads the change tables of change data capture (CDC) as Arrow batches."""
