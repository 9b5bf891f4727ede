"""Snapshots of MySQL: chunk keys and their order, the statements that read chunks, split points, the consistent point.

See docs/design.md.
"""
