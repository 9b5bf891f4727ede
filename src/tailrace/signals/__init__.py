"""Signals: what somebody asks of a running connector, and the channels that it is asked through.

A channel (`table`, `file`, `kafka_topic`) hands out what has come in, in order; `parsing` makes typed signals of it, and
`matching` says which tables they mean. Nothing here carries a signal out.
"""
