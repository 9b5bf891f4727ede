"""Servers to run tailrace against: for its tests and its demo, never for data one needs.

`sqlserver` is a server of our own that stands in for SQL Server, which can't be had everywhere. `servers` starts throwaway
servers of every kind: that one, a real MySQL, a real Kafka broker.
"""

__version__ = "0.1.0"
