"""The configuration properties as tables.

The modules of this package have what all connectors share. What is one connector's own is in `properties/` of its folder, whose
`TABLES` has both. `connectors/registry.py` leads from `connector.class` to them.
"""
