"""Snapshots of databases that write their changes into tables some time after they are committed."""
