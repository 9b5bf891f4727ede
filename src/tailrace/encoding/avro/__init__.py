"""Avro as the converters of Confluent and Apicurio write it.

`schema_text` gives the Avro schema of a Connect schema, byte for byte as the converters register it; a registry gives the same
id for the same text only. `program` compiles layouts, `kernel` is the loop that writes all records of a batch, `values` writes
single values. `framing` is what stands around a datum: the schema's id. `messages` puts them together with a client of a
schema registry (`tailrace.registry`), `settings` reads a converter's properties.
"""
