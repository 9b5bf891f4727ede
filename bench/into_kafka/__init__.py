"""tailrace beside Debezium in Kafka Connect, both from the same MySQL log into the same Kafka broker.

    ./run bench-kafka [--quick] [--write]

See `__main__` for the command, `plan` for what is measured, `catch_up` and `latency` for how.
"""
