"""The message of an incremental snapshot in Debezium's documentation of its SQL Server connector."""

from tests.connectors.sqlserver.requested_work.signalling import execute, read_captured, signal_table

from support.signalling import begin
from support.sqlserver_reading import settings_of


def test_the_event_of_an_incremental_snapshot_is_the_pages(sqlserver, given):
    """GIVEN the page's table, WHEN a signal asks for it, THEN the event is the one shown: `before` and `transaction` are null, `op`
    is r, and `source.snapshot` is incremental."""
    signal_table(sqlserver)
    sqlserver.sql(
        "CREATE TABLE dbo.t (pk varchar(9) PRIMARY KEY, value varchar(20)); INSERT dbo.t VALUES ('1', 'New data')"
    )
    sqlserver.capture("t")
    sqlserver.capture_all()
    followed = begin(settings_of(sqlserver, **given, provide_transaction_metadata="true", tailrace_event_shape="2.1"))
    execute(sqlserver, "t")
    read_captured(followed, sqlserver)
    [value] = followed.payloads(f"s.{sqlserver.name}.dbo.t")
    assert value["source"].pop("snapshot") == "incremental"
    known = {"db": sqlserver.name, "schema": "dbo", "table": "t", "change_lsn": None, "event_serial_no": None}
    assert {name: value["source"][name] for name in known} == known
    assert value["source"]["commit_lsn"] <= followed.progress.delivered
    shown = {name: value[name] for name in ("before", "after", "op", "transaction")}
    assert shown == {"before": None, "after": {"pk": "1", "value": "New data"}, "op": "r", "transaction": None}
    assert value["ts_ms"] > 0
