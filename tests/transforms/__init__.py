"""Transforms without the real ones beside them."""
