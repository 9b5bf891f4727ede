"""tailrace compared with Debezium in Kafka Connect: both read the Db2 stand-in and write to the same Kafka broker.

    ./run bench-db2 [--quick] [--write]

See `__main__` for the command, `bench.change_tables` for what is measured and how, `data` for what is read.
"""
