"""Db2's types and structures. The connector itself is not there yet."""
