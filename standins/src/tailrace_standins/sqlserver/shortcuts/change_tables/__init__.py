"""Shortcuts for queries of large change tables."""
