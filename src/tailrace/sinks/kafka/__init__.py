"""Kafka as a sink: records and progress in one transaction."""
