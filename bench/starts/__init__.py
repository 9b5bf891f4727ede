"""How long `tailrace run` takes from the command to its first record, and what that costs.

`sources` has the databases, `targets` watch for the record, `clocked` runs one start and samples its processes.
"""
