"""JSON whose schemas are in a registry, as Confluent's JsonSchemaConverter writes it.

`schema_text` gives the JSON Schema of a Connect schema; the data are those of `encoding.json` without schemas. `messages` is
the format that `encoding.registered` frames with the schema's id, `settings` reads the converter's properties.
"""
