"""What the benchmarks beside Debezium in Kafka Connect share: servers, how each side is started, what is measured of it.

`into_kafka` uses it for the log, `snapshots` for tables.
"""
