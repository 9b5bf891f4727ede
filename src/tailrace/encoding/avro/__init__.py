"""Avro as the converters of Confluent and Apicurio write it.

`schema_text` gives the Avro schema of a Connect schema, byte for byte as the converters register it; a registry gives the same
id for the same text only. `program` compiles layouts, `kernel` is the loop that writes all records of a batch, `values` writes
single values. `messages` is the format that `encoding.registered` frames with the schema's id, `settings` reads a converter's
properties.
"""
