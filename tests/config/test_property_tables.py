"""The property tables: complete, consistent, and in step with `Settings` and the reference page."""

import re
from pathlib import Path

import attrs
import pytest

from tailrace.config.entries import _current_name
from tailrace.config.properties import ALIASES, BY_NAME, FAMILIES, PROPERTIES, family_of
from tailrace.config.property import Kind, Status
from tailrace.config.reference import main, render
from tailrace.config.settings import Settings

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "reference" / "configuration.md"
DERIVED = {
    *("tables", "columns", "column_rules", "message_keys", "warnings", "given", "topic_creation", "select_overrides"),
    *("producer_override", "consumer_override", "admin_override", "schema_history_producer", "schema_history_consumer"),
    "signal_consumer",
}


def debezium_names():
    return (HERE / "debezium_3_6_names.txt").read_text().split()


@pytest.mark.parametrize("name", debezium_names())
def test_every_property_of_debezium_3_6_is_known(name):
    current = _current_name(name)
    assert current in BY_NAME or family_of(current)


def test_no_name_stands_twice():
    names = [prop.name for prop in PROPERTIES] + [alias for prop in PROPERTIES for alias in prop.aliases]
    assert len(names) == len(set(names))
    assert not set(ALIASES) & set(BY_NAME)


def test_settings_has_an_attribute_for_each_property_that_is_not_ignored_and_no_other():
    attributes = {field.name for field in attrs.fields(Settings)} - DERIVED
    assert attributes == {prop.attribute for prop in PROPERTIES if prop.in_settings}


@pytest.mark.parametrize(
    "prop", [prop for prop in PROPERTIES if prop.in_settings], ids=lambda prop: prop.name
)
def test_the_type_of_an_attribute_is_that_of_its_table(prop):
    declared = attrs.fields_dict(Settings)[prop.attribute].type
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


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.name)
def test_a_row_of_a_table_is_sound(prop):
    assert re.search(r"\S.*\.$", prop.doc), "the meaning is a sentence"
    assert prop.group
    if prop.allowed and prop.kind is Kind.ENUM:
        assert prop.default in (*prop.allowed, *prop.not_yet)
    if prop.kind.is_number:
        assert prop.default is None or isinstance(prop.default, int)
    assert set(prop.other_spellings.values()) <= set(prop.allowed)
    if prop.status is Status.IGNORED:
        assert prop.reason, "who sets it wants to know why it does nothing"


def test_families_say_what_they_are_for():
    assert all(family.doc.endswith(".") and family.group for family in FAMILIES)


def test_the_page_on_disk_is_what_the_tables_render():
    assert PAGE.read_text() == render(), (
        "run: python -m tailrace.config.reference docs/reference/configuration.md"
    )


def test_every_property_is_on_the_page_with_its_old_names():
    page = render()
    for prop in PROPERTIES:
        assert f"| `{prop.name}` |" in page
        assert all(f"`{alias}`" in page for alias in prop.aliases)


def test_the_command_writes_the_page(tmp_path):
    assert main([str(tmp_path / "page.md")]) == 0
    assert (tmp_path / "page.md").read_text() == render()
    assert main([]) == 2
