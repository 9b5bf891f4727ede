"""Throwaway database servers for the tests and the demo."""
