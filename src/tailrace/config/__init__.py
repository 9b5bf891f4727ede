"""Debezium's configuration as typed settings.

`load.load(path)` and `load.from_mapping(mapping)` make `settings.Settings`, which everything else reads. `connectors.KINDS`
leads from `connector.class` to what is known of a connector; the property tables are under `properties/`, and the pages
`docs/reference/configuration*.md` are rendered from them. `effects` says which properties change records: a name that is
nearly one of those is an error, and any other name that is no property a warning with its words from `name_sorts`.
"""
