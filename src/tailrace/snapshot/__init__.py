"""Snapshots: what a database's tables held at one position of its log, read without locks while they are written to.

A chunk of a table is read at any moment, and what the log says of its rows since the position undoes what came after it.
Nothing in this package knows a database or does I/O: a connector gives chunks and changes, and delivers what it is told.
"""
