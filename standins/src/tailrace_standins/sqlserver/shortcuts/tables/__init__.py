"""Queries of the tables that users made, large ones."""
