"""The tables of configuration properties that all connectors share.

A connector's own properties are in `properties/` in the connector's folder, whose `TABLES` combines both.
`connectors/registry.py` finds them by `connector.class`.
"""
