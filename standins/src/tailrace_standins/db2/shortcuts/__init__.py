"""Shortcuts: queries of one table in the order of its key are answered from rows that were encoded before.

SQLite can answer every query and gives the same rows, but more slowly; a benchmark of clients needs a server that is faster
than they are. `recognised.py` tells which queries these are, `ranges.py` which rows their conditions mean, `encoded.py` has the
rows, `answers.py` decides when they may be used. `switch.py` turns shortcuts off.
"""
