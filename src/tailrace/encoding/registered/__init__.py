"""What formats share whose schemas are in a registry: Avro, Protobuf, JSON Schema, and JSON as Apicurio has it.

`settings` reads the properties of Confluent's converters, `confluent_properties` and `apicurio_properties` are those that
converters have in common, and `logins` makes of them how the registry is reached. `messages` renders keys or values, and asks
for the ids of their schemas; `framing` is where these stand.
"""
