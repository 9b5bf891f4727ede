"""Real Debezium in Kafka Connect with Confluent's Avro converter and a real registry, and tailrace beside it."""
