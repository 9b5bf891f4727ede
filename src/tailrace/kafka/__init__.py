"""Kafka: clients, producing and reading back. Nothing here knows lanes."""
