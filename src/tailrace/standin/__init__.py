"""Servers that stand in for databases which can't be had everywhere: for tests and the demo, never for data one needs."""
