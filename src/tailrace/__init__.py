"""tailrace: change data capture on Spark, in Python."""

__version__ = "0.1.0"
