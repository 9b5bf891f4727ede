"""tailrace compared with Debezium in Kafka Connect where both write Avro, or transform what they write.

    ./run bench-formats [--quick] [--write]

See `__main__` for the command, `plan` for what is measured. What is measured, and how, is as in `bench.into_kafka`.
"""
