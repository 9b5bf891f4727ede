"""Shortcuts for queries of large user tables."""
