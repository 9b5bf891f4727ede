"""tailrace compared with Debezium in Kafka Connect: both read the SQL Server stand-in and write to the same Kafka broker.

    ./run bench-sqlserver [--quick] [--write]

See `__main__` for the command, `plan` for what is measured, `catch_up` and `ceiling` for how.
"""
