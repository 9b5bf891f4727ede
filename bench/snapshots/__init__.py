"""Snapshots of MySQL's tables into Kafka: beside Debezium, under changes, and beside the stream.

    ./run bench-snapshots [--quick] [--parts initial,changes,incremental] [--write]

See `__main__` for the command, `plan` for what is measured, `initial`, `under_changes` and `beside_stream` for how.
"""
