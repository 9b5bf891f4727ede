"""Queries of change tables, large ones."""
