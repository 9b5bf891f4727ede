"""What `tailrace check` shows of transforms, with a server and without one."""

import json

import pytest

from support.configurations import DB2_MINIMAL, MINIMAL, SQL_SERVER_MINIMAL
from tailrace.cli.main import main
from tailrace.encoding.converters import CONVERTERS

UNWRAP = {"transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState"}
ROUTE = {
    "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.route.regex": r"([^.]+)\.([^.]+)\.([^.]+)",
    "transforms.route.replacement": "$3",
}
CHAIN = {"transforms": "unwrap,route", **UNWRAP, **ROUTE, "table.include.list": "shop.orders,shop\\.items,shop.a.*"}
FILTER = {
    "transforms": "filter",
    "transforms.filter.type": "io.debezium.transforms.Filter",
    "transforms.filter.language": "jsr223.groovy",
    "transforms.filter.condition": "value.after.amount > 100",
}


@pytest.fixture
def check(tmp_path, capsys):
    def checked(files, *options):
        for name, properties in files.items():
            (tmp_path / name).write_text(json.dumps(properties))
        with pytest.raises(SystemExit):
            main(["check", "--offline", *options, *[str(tmp_path / name) for name in files]])
        return capsys.readouterr().out

    return checked


def parts(out):
    """The lines without what pads them."""
    return [" ".join(line.split()) for line in out.splitlines()]


def test_one_table_is_shown_whole_and_the_others_by_topic_and_key(check):
    shown = parts(check({"a.json": MINIMAL | CHAIN}))
    at = shown.index("shop.orders, an insert")
    assert shown[at + 1 : at + 3] == ["topic shop.shop.orders", 'key {"id":1}']
    assert shown[at + 4 : at + 7] == [
        'unwrap value {"id":1,"name":"name 1"}',
        "route topic orders",
        "delivered key: JSON with its schema; value: JSON with its schema",
    ]
    assert shown[-1] == 'shop.items, an insert: shop.shop.items → items, key {"id":1}'
    assert [each for each in shown if each.startswith("shop.orders, ")] == [
        "shop.orders, an insert",
        "shop.orders, an update",
        "shop.orders, a delete",
        "shop.orders, the tombstone behind it",
        "shop.orders, a row of the snapshot",
    ]
    assert "unwrap dropped" in shown


def test_all_is_shown_where_that_is_asked_for(check):
    shown = parts(check({"a.json": MINIMAL | CHAIN}, "--samples", "all"))
    assert {"shop.orders, a delete", "shop.items, a delete"} <= set(shown)


def test_nothing_is_shown_without_transforms_or_of_several_files_or_where_that_is_said(check):
    one = MINIMAL | CHAIN
    assert len(check({"a.json": MINIMAL}).splitlines()) == 1
    assert len(check({"a.json": one}, "--samples", "none").splitlines()) == 1
    assert len(check({"a.json": one, "b.json": one}).splitlines()) == 2
    assert check({"a.json": one, "b.json": one}, "--samples", "short").count("what the transforms do") == 2


def test_a_transform_that_fails_on_an_event_says_so_beforehand(check):
    shown = parts(check({"a.json": MINIMAL | FILTER}))
    at = shown.index("db.orders, a delete")
    assert shown[at + 4].startswith("filter fails: transforms.filter (Filter) failed")
    assert '"amount":100' in shown[shown.index("db.orders, an insert") + 3]


def test_programs_get_the_same_as_json(check):
    (file,) = json.loads(check({"a.json": MINIMAL | CHAIN}, "--json"))["files"]
    orders, items = file["samples"]["tables"]
    assert (orders["table"], orders["made_up"], len(orders["events"]), len(items["events"])) == ("shop.orders", True, 5, 1)
    insert = orders["events"][0]
    assert [each["transform"] for each in insert["steps"]] == ["unwrap", "route"]
    assert insert["delivered"] == [
        {
            "topic": "orders",
            "partition": None,
            "key": '{"id":1}',
            "value": '{"id":1,"name":"name 1"}',
            "key_form": "JSON with its schema",
            "value_form": "JSON with its schema",
            "headers": {},
        }
    ]
    assert "samples" not in json.loads(check({"a.json": MINIMAL}, "--json"))["files"][0]


def test_what_a_placeholder_brings_in_is_never_shown(check, monkeypatch):
    monkeypatch.setenv("TENANT_KEY", "s3cr3t-t3nant")
    insert = {
        "transforms": "tenant",
        "transforms.tenant.type": "org.apache.kafka.connect.transforms.InsertField$Value",
        "transforms.tenant.static.field": "tenant",
        "transforms.tenant.static.value": "${env:TENANT_KEY}",
    }
    for options in ((), ("--json",)):
        out = check({"a.json": MINIMAL | insert}, *options)
        assert "s3cr3t" not in out
        assert "${env:TENANT_KEY}" in out


def test_binary_formats_are_shown_as_json_with_the_place_of_their_schema(check):
    avro = {
        "value.converter": "io.confluent.connect.avro.AvroConverter",
        "value.converter.schema.registry.url": "http://registry.example.org",
    }
    shown = parts(check({"a.json": SQL_SERVER_MINIMAL | CHAIN | avro | {"table.include.list": "dbo.orders"}}))
    assert "delivered key: JSON with its schema; value: Avro, subject shop.crm.dbo.orders-value" in shown


@pytest.mark.parametrize("converter", CONVERTERS)
@pytest.mark.parametrize("name", ["schema.registry.basic.auth.user.info", "apicurio.registry.url", "encoding", "serializer.type"])
def test_of_a_converter_some_of_whose_properties_are_filled_elsewhere_the_form_is_its_name(check, converter, name):
    given = {"value.converter": converter, f"value.converter.{name}": "$FILLED_ELSEWHERE"}
    shown = parts(check({"a.json": MINIMAL | CHAIN | given}))
    title = f"{CONVERTERS[converter].title}, some of whose properties are not known here"
    assert any(line.endswith(f"key: JSON with its schema; value: {title}") for line in shown)


def test_an_outbox_has_the_columns_of_one(check):
    outbox = {"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter"}
    shown = parts(check({"a.json": MINIMAL | outbox | {"table.include.list": "shop.outbox"}}))
    at = shown.index("shop.outbox, an insert")
    assert shown[at + 4 : at + 8] == [
        "outbox topic outbox.event.order",
        'key "aggregateid 1"',
        'value "payload 1"',
        "header id 1",
    ]


def test_a_payload_to_be_expanded_is_json_and_made_up_rows_are_nothing_to_log(check, caplog):
    outbox = {
        "transforms": "outbox",
        "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
        "transforms.outbox.table.expand.json.payload": "true",
    }
    shown = parts(check({"a.json": MINIMAL | outbox | {"table.include.list": "shop.outbox"}}))
    assert 'value {"number":1}' in shown
    assert "outbox dropped" in shown  # the update
    assert caplog.text == ""


def test_events_of_no_row_are_shown_where_the_chain_changes_them(check):
    key = {
        "transforms.key.type": "org.apache.kafka.connect.transforms.ExtractField$Key",
        "transforms.key.field": "id",
        "heartbeat.interval.ms": "1000",
        "provide.transaction.metadata": "true",
    }
    shown = parts(check({"a.json": MINIMAL | ROUTE | key | {"transforms": "key,route", "topic.transaction": "x.transaction"}}))
    failed = "fails: transforms.key (ExtractField$Key) failed on a record of the topic"
    assert shown[-3:] == [
        f"a schema change (ALTER): shop {failed} shop: its key has no field 'id'",
        'the end of a transaction: shop.x.transaction → transaction, key "sample-transaction"',
        f"a heartbeat: __debezium-heartbeat.shop {failed} __debezium-heartbeat.shop: its key has no field 'id'",
    ]
    unchanged = check({"a.json": MINIMAL | ROUTE | {"transforms": "route", "heartbeat.interval.ms": "1000"}})
    assert "heartbeat" not in unchanged
    assert "schema change" not in unchanged


@pytest.mark.parametrize("minimal", [MINIMAL, SQL_SERVER_MINIMAL, DB2_MINIMAL])
def test_schema_changes_of_each_connector_are_shown_to_programs(check, minimal):
    drop = {"transforms": "a", "transforms.a.type": "io.debezium.transforms.SchemaChangeEventFilter"}
    drop["transforms.a.schema.change.event.exclude.list"] = "ALTER"
    (found,) = json.loads(check({"a.json": minimal | drop | {"include.schema.changes": "true"}}, "--json"))["files"]
    (event,) = found["samples"]["others"]
    assert event["delivered"] == []
    assert '"type":"ALTER"' in event["before"]["value"]


@pytest.mark.parametrize("secret", ['s3cr3t "t3nant"', 's3cr3t "ténant"', "s3cr3t t3nant\n", "70654321:s3cr3t"])
def test_what_a_placeholder_brings_into_a_header_is_not_shown_in_whichever_form(check, monkeypatch, secret):
    monkeypatch.setenv("TENANT_KEY", secret)
    monkeypatch.setenv("TENANT_HEADER", "x-s3cr3t-name")
    insert = {
        "transforms": "tenant",
        "transforms.tenant.type": "org.apache.kafka.connect.transforms.InsertHeader",
        "transforms.tenant.header": "${env:TENANT_HEADER}",
        "transforms.tenant.value.literal": "${env:TENANT_KEY}",
    }
    for options in ((), ("--json",)):
        out = check({"a.json": MINIMAL | insert}, *options)
        assert "s3cr3t" not in out
        assert "70654321" not in out
        assert "${env:TENANT_KEY}" in out
        assert "${env:TENANT_HEADER}" in out


@pytest.mark.drivers
def test_with_a_server_the_tables_are_its_own(sqlserver, tmp_path, capsys):
    sqlserver.sql("CREATE TABLE dbo.people (nr int PRIMARY KEY, born date, price decimal(5,2))")
    sqlserver.capture("people")
    path = tmp_path / "a.json"
    path.write_text(json.dumps(sqlserver.properties() | {"transforms": "unwrap", **UNWRAP, "table.include.list": "dbo.people"}))
    with pytest.raises(SystemExit):
        main(["check", str(path)])
    shown = parts(capsys.readouterr().out)
    assert "sample what the transforms do, with the tables as they are now, and made-up rows:" in shown
    assert 'sample unwrap value {"nr":1,"born":20455,"price":"BNM="}' in shown


def test_without_one_they_are_made_and_that_is_said(tmp_path, capsys):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(MINIMAL | CHAIN | {"database.hostname": "127.0.0.1", "database.port": "1", "database.password": "x"}))
    with pytest.raises(SystemExit):
        main(["check", str(path)])
    shown = capsys.readouterr().out
    assert "with made-up tables, as there are no real ones (" in shown
    assert "unwrap" in shown
