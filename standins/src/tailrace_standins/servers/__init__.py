"""Throwaway servers for the tests and the demo: MySQL, Kafka, the SQL Server stand-in."""
