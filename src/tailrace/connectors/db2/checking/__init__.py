"""The parts of `tailrace check` for Db2: the server, the Capture program, the registered tables, and what a user may read."""
