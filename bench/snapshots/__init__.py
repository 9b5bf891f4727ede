"""Snapshots of MySQL tables into Kafka: compared with Debezium, while the table changes, and during streaming.

    ./run bench-snapshots [--quick] [--parts initial,changes,incremental] [--write]

See `__main__` for the command, `plan` for what is measured, `initial`, `under_changes` and `beside_stream` for how.
"""
