"""Snapshots of databases with change tables, whose changes are captured some time after they are committed."""
