"""The property tables: complete, consistent, and in step with `Settings` and the reference page."""

import re
from pathlib import Path

import attrs
import pytest

from tailrace.config.property import Kind, Status
from tailrace.connectors.registry import SPECS
from tailrace.docs.configuration import PAGES, page

HERE = Path(__file__).parent
FOLDER = HERE.parent.parent / "docs" / "reference"
DERIVED = {
    *("tables", "columns", "column_rules", "message_keys", "warnings", "notes", "given", "topic_creation", "select_overrides"),
    *("snapshot_tables", "routing", "custom_converters", "reselections", "transform_chain", "topics_by_content"),
    *("key_format", "value_format", "header_format"),
    *("producer_override", "consumer_override", "admin_override", "schema_history_producer", "schema_history_consumer"),
    "signal_consumer",
}


NAMES = {spec.database: f"debezium_3_6_{spec.name}_names.txt" for spec in SPECS.values()}
EACH = {kind.database: kind for kind in SPECS.values()}
PROPERTIES = [
    pytest.param(kind, prop, id=f"{kind.database}: {prop.name}")
    for kind in SPECS.values()
    for prop in kind.tables.properties
]


def debezium_names():
    return [(kind, name) for kind, file in NAMES.items() for name in (HERE / file).read_text().split()]


@pytest.fixture(params=EACH)
def kind(request):
    return EACH[request.param]


@pytest.mark.parametrize(("kind", "name"), debezium_names())
def test_every_property_of_debezium_3_6_is_known(kind, name):
    tables = EACH[kind].tables
    current = tables.current_name(name)
    assert current in tables.by_name or tables.family_of(current)


def test_no_name_stands_twice(kind):
    properties = kind.tables.properties
    names = [prop.name for prop in properties] + [alias for prop in properties for alias in prop.aliases]
    assert len(names) == len(set(names))
    assert not set(kind.tables.aliases) & set(kind.tables.by_name)


def test_settings_has_an_attribute_for_each_property_that_is_not_ignored_and_no_other(kind):
    attributes = {field.name for field in attrs.fields(kind.settings)} - DERIVED
    assert attributes == {prop.attribute for prop in kind.tables.properties if prop.in_settings}


@pytest.mark.parametrize(("kind", "prop"), PROPERTIES)
def test_the_type_of_an_attribute_is_that_of_its_table(kind, prop):
    if not prop.in_settings:
        assert prop.attribute not in attrs.fields_dict(kind.settings)
        return
    declared = attrs.fields_dict(kind.settings)[prop.attribute].type
    plain = {
        Kind.BOOL: "bool",
        Kind.SECRET: "Secret",
        Kind.LIST: "tuple[str, ...]",
        Kind.REGEXES: "tuple[str, ...]",
    }
    expected = plain.get(prop.kind, "int" if prop.kind.is_number else "str")
    if prop.name == "skipped.operations":
        expected = "frozenset[str]"
    made_of_others = prop.name in {"name", "signal.kafka.topic"}
    never_none = prop.required or prop.default is not None or prop.kind.is_list or made_of_others
    assert declared == (expected if never_none else f"{expected} | None")


@pytest.mark.parametrize(("_kind", "prop"), PROPERTIES)
def test_a_row_of_a_table_is_sound(_kind, prop):
    assert re.search(r"\S.*\.$", prop.doc), "the meaning is a sentence"
    assert prop.group
    if prop.allowed and prop.kind is Kind.ENUM:
        assert prop.default is None or prop.default in (*prop.allowed, *prop.not_yet)
    if prop.kind.is_number:
        assert prop.default is None or isinstance(prop.default, int)
    assert set(prop.other_spellings.values()) <= set(prop.allowed)
    if prop.status is Status.IGNORED:
        assert prop.reason, "who sets it wants to know why it does nothing"


def test_families_say_what_they_are_for(kind):
    assert all(family.doc.endswith(".") and family.group for family in kind.tables.families)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_on_disk_is_what_the_tables_render(name):
    assert (FOLDER / name).read_text() == PAGES[name](), "run: ./run docs"


@pytest.mark.parametrize("connector_class", SPECS)
def test_every_property_is_on_its_connectors_page_with_its_old_names(connector_class):
    text = page(connector_class)
    for prop in SPECS[connector_class].tables.properties:
        assert f"| `{prop.name}` |" in text
        assert all(f"`{alias}`" in text for alias in prop.aliases)
