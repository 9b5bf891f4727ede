"""The version of tailrace."""

__version__ = "0.1.0"
