"""Kafka's brokers: how clients are set up, what is produced and what is read back. Nothing here knows of lanes."""
