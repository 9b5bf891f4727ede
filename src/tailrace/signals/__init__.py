"""Signals: requests to a running connector, and the channels that they come through.

A channel (`table`, `file`, `kafka_topic`) returns new signals in order; `parsing` types them, and
`matching` finds the tables that they name. Nothing here executes a signal.
"""
