"""Custom converters without a database."""
