"""Protobuf as Confluent's ProtobufConverter writes it.

`schema_text` gives the schema of a Connect schema, as the converter registers it; `types` writes its text. `program` compiles
layouts, `kernel` is the loop that writes all records of a batch, `logical` makes messages of decimals, dates and times, column
by column, and `values` writes single values. `messages` is the format that `encoding.registered` frames with the schema's id,
`settings` reads the converter's properties.
"""
