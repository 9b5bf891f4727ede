"""Events, which connectors yield, and the pipeline that turns them into encoded records.

`event` is the protocol. `shape` (row changes), `transactions`, `schema_changes` and `heartbeats` are kinds of events.
`ordering` numbers records within transactions. `pipeline` applies `transforms` and the encoder.
"""
