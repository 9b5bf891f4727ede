"""The shared part of the benchmarks that compare with Debezium in Kafka Connect: servers, starting both sides, measuring them.

`into_kafka` uses it for the log, `snapshots` for tables, `change_tables` for both.
"""
