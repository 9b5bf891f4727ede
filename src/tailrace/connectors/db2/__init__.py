"""Db2's SQL Replication as Debezium-compatible change events."""
