"""Debezium's configuration as typed settings.

`load.load(path)` and `load.from_mapping(mapping)` make `settings.Settings`, which everything else reads. The
property tables are under `properties/`; the page `docs/reference/configuration.md` is rendered from them.
"""
