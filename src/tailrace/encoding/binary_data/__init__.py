"""Debezium's BinaryDataConverter: bytes as they are, and a delegate for everything else."""
