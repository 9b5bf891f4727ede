"""tailrace compared with Debezium in Kafka Connect: both read the SQL Server stand-in and write to the same Kafka broker.

    ./run bench-sqlserver [--quick] [--write]

See `__main__` for the command, `bench.change_tables` for what is measured and how, `data` for what is read.
"""
