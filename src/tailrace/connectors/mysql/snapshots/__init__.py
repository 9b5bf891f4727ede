"""Snapshots of MySQL: chunk keys and their order, the statements that read chunks, split points, the consistent point.

`docs/design.md` and `docs/concepts/snapshots.md` explain the method.
"""
