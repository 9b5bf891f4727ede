"""Clients of schema registries: Confluent's REST API, and Apicurio's.

`connection` holds the settings of a connection, `http` makes requests (fail-over, retries, errors), with `authentication` and
`tls`. `confluent` and `apicurio` give the id of a schema as the two converters do, `subjects` says under which name a schema is
registered. Everything but an open connection can be pickled; a client connects when it is first asked.
"""
