"""tailrace beside Debezium in Kafka Connect, both from the SQL Server stand-in into the same Kafka broker.

    ./run bench-sqlserver [--quick] [--write]

See `__main__` for the command, `plan` for what is measured, `catch_up` and `ceiling` for how.
"""
