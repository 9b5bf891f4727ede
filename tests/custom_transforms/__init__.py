"""Transforms in Python."""
