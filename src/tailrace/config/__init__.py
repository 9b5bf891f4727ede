"""The language of Debezium's configurations: documents, properties, values, and the typed settings that they become.

`connectors/load.py` makes `settings.Settings`, which everything else reads; it goes by `connectors/registry.py`, which leads
from `connector.class` to what is known of a connector. Here is what all connectors have: the property tables are under
`properties/`, and the pages `docs/reference/configuration*.md` are rendered from all of them. `effects` says which properties
change records: a name that is nearly one of those is an error, and any other name that is no property a warning with its
words from `name_sorts`.
"""
