"""tailrace compared with Debezium in Kafka Connect: both read the same MySQL log and write to the same Kafka broker.

    ./run bench-kafka [--quick] [--write]

See `__main__` for the command, `plan` for what is measured, `catch_up` and `latency` for how.
"""
