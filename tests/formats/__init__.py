"""Real transforms and converters of Kafka Connect, Debezium and others as the ground truth of tailrace's own, without a database."""
