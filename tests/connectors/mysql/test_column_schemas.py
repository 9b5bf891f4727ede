"""The schemas of columns equal what real Debezium 3.6.1 gave for the same tables, in every handling mode.

`data/column_schemas.json` holds structures and field schemas as Debezium wrote them, variants only with what differs
from the defaults.
"""

import json
import re
from pathlib import Path

import pytest
from tests.support.unit_settings import unit_settings

from tailrace.connectors.mysql.types import field_schema
from tailrace.connectors.shared.column_types import parameters_of
from tailrace.encoding.connect_json import schema_json
from tailrace.schema.names import Names
from tailrace.schema.tables import Column, TableId

GOLDEN = json.loads((Path(__file__).parent / "data" / "column_schemas.json").read_text())


def column_of(record):
    labels = tuple(
        re.sub(r"\\(.)|''", lambda m: m[1] or "'", text[1:-1]) for text in record.get("enumValues", ())
    )
    return Column(
        name=record["name"],
        type_name=record["typeName"],
        type_expression=record["typeExpression"],
        jdbc_type=record["jdbcType"],
        length=record.get("length"),
        scale=record.get("scale"),
        charset=record.get("charsetName"),
        optional=record["optional"],
        has_default=record.get("hasDefaultValue", False),
        default=record.get("defaultValueExpression"),
        enum_values=labels,
    )


def own_schemas(table, settings):
    """Our field schemas of a table, by the name of the field."""
    names, found = Names(settings), {}
    database, _, name = table.partition(".")
    for record in GOLDEN["tables"][table]["columns"]:
        column = column_of(record)
        rule = settings.column_rule(TableId(database, "", name), column.name, column.type_name)
        schema = field_schema(column, settings)
        schema = schema.with_(parameters=schema.parameters + parameters_of(rule, column, "current"))
        field = names.field_name(column.name)
        found[field] = schema_json(schema, field).decode()
    return found


@pytest.mark.parametrize("variant", GOLDEN["variants"])
def test_field_schemas_are_those_of_debezium(variant):
    golden = GOLDEN["variants"][variant]
    settings = unit_settings(golden["properties"])
    for table, fields in golden["fields"].items():
        own = own_schemas(table, settings)
        for field in fields:
            expected = json.dumps(field, ensure_ascii=False, separators=(",", ":"))
            text = json.dumps(json.loads(own[field["field"]]), ensure_ascii=False, separators=(",", ":"))
            assert text == expected, (table, field["field"])


def test_every_type_of_the_golden_file_is_in_the_default_variant():
    assert set(GOLDEN["variants"]["all-default"]["fields"]) == set(GOLDEN["tables"])


def test_a_comment_becomes_the_fields_doc_when_comments_are_asked_for():
    column = Column("a", "INT", "INT", 4, comment="what it is")
    assert field_schema(column, unit_settings({"include.schema.comments": "true"})).doc == "what it is"
    assert field_schema(column, unit_settings()).doc is None
