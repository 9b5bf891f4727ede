"""Servers for tailrace's tests and demo; never for real data.

`sqlserver` is a server of our own that stands in for SQL Server, which is not available everywhere. `storage` is what it
shares with stand-ins of other databases. `servers` starts throwaway servers: that one, a real MySQL, a real Kafka broker.
"""

__version__ = "0.1.0"
