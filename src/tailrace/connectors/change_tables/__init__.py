"""Databases that write their changes into change tables: the common part; the rest is in a `Dialect`."""
