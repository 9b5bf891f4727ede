"""Kafka Connect's stored offsets, read and written: for taking over from Debezium, and for handing back."""
