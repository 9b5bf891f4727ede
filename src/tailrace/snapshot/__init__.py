"""Snapshots: the rows of a database's tables at one position of its log, read without locks while they are written to.

A chunk of a table is read at any time, and the log since the position rewinds the rows that changed.
Nothing in this package knows a database or does I/O: a connector supplies chunks and changes, and delivers the pieces.
"""
