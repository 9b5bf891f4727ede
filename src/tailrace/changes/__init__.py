"""The columnar model: row changes as columns, and what becomes of them before they are encoded.

`vectors` is one column in Arrow's layout, `model` a table's changes. `expand` decides which records changes become, `policies`
mask column values. `layouts` and `source_records` describe keys and values as trees over columns; `records` are encoded keys
and values, and `merging` puts those of several tables into log order.
"""
