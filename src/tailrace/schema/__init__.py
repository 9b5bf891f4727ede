"""Tables and what describes them, for every database: structures, Connect schemas, names, schema changes and their history.

`tables` is a structure, `table_changes` what a statement did to one. `connect` has Kafka Connect's schemas, `envelope` those of
change events. `names` and `routing` name topics, schemas and fields. `changes_topic` and `history` write schema changes as
Debezium does, for consumers and for the schema history.
"""
