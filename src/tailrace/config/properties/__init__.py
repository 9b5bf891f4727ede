"""The configuration properties as tables.

The modules of this package have what all connectors share, a package each what is one connector's own; its `TABLES` has
both. `config/connectors.py` leads from `connector.class` to them.
"""
