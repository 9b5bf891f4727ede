"""Encoders: from the columns and layouts of source records to bytes (`json`), or to typed rows (`rows`).

`json` turns a layout into a template, and `render` runs templates over columns: a program of constants and values that one
compiled loop (`render_kernel`, `text_kernel`) executes for all rows. `connect_json` writes single values and schemas in the
format of Kafka Connect's JsonConverter. `avro` is the format of the converters for schema registries. `sizes` estimates
encoded sizes, by which batches are limited.
"""
