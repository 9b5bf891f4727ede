"""tailrace compared with Debezium in Kafka Connect, both reading change tables of the same stand-in into the same broker.

What is measured is the same for all databases with change tables: `plan` says what, `catch_up`, `idle` and `ceiling` how,
`program` in which order, `tables` and `page` how it is shown. `system` says what a database brings: `bench.sqlserver` and
`bench.db2` are such.
"""
