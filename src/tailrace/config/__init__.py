"""Debezium configurations: documents, properties, values, and the typed settings made of them.

`connectors/load.py` turns a configuration into `settings.Settings`, which everything else reads. It finds the connector's
properties by `connector.class`, through `connectors/registry.py`. This package has what all connectors share. The property
tables are in `properties/`; the pages `docs/reference/configuration*.md` are rendered from them and from the connectors' own
tables.

A name that is no property is a warning, with a text from `name_sorts`. It is an error where it nearly matches a property that
changes records; `effects` says which properties do.
"""
