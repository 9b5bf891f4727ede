"""Apicurio's ExtJsonConverter beside the real one (3.2.4), with a real registry for both: an id tells of a schema's text."""

import uuid

import pytest
from tests.formats.comparing import assert_same, compare, same_json
from tests.formats.connect_parts import Converter, Failure
from tests.formats.encoders import ours
from tests.formats.golden_lines import golden_lines, sources

from tailrace.converter_classes import EXT_JSON

P = "apicurio.registry."
CASES = {
    "registered": {},
    "as they are": {"decimal.format": "NUMERIC", "replace.null.with.default": "false"},
    "a group of its own": {f"{P}artifact.group-id": "mine"},
    "ignored ones": {f"{P}use-id": "globalId", f"{P}headers.enabled": "true", "schemas.enable": "true"},
}


def lines_of_a_run():
    run = uuid.uuid4().hex[:6]
    chosen = [*sources()[::14], "sqlserver: heartbeats", "made"]
    return [
        {**line, "topic": f"{run}.s{number}.{line['topic']}", "headers": []}
        for number, source in enumerate(chosen)
        for line in golden_lines(source)[:12]
    ]


@pytest.mark.debezium
@pytest.mark.parametrize("case", CASES)
def test_ids_and_text_are_those_of_apicurios_converter(server_parts, apicurio, case):
    options = {f"{P}url": apicurio.url, f"{P}auto-register": "true", **CASES[case]}
    converter = Converter(EXT_JSON, options)
    lines = lines_of_a_run()
    found = compare(server_parts, lines, ours(converter, converter), key=converter, value=converter, same=same_json)
    differing = [each for each in found.differences if not is_null_that_fails(each)]
    assert not differing, "\n".join(str(each)[:1500] for each in differing[:3])
    assert found.records > 50


def is_null_that_fails(difference):
    """The real converter fails on a null with a schema, which here is JSON's null."""
    failed, line = difference.theirs, difference.line
    return isinstance(failed, Failure) and "NullPointer" in failed.error and line["value"]["payload"] is None


@pytest.mark.debezium
def test_schemas_that_are_not_registered_fail_or_are_found_as_with_apicurio(server_parts, apicurio):
    lines = lines_of_a_run()[:8]
    converter = Converter(EXT_JSON, {f"{P}url": apicurio.url})
    assert compare(server_parts, lines, ours(value=converter), value=converter, same=same_json).failed == len(lines)
    assert_same(
        server_parts,
        lines,
        ours(value=Converter(EXT_JSON, {f"{P}url": apicurio.url, f"{P}auto-register": "true"})),
        value=Converter(EXT_JSON, {f"{P}url": apicurio.url, f"{P}auto-register": "true"}),
        same=same_json,
    )
    for more in ({}, {f"{P}find-latest": "true"}):
        converter = Converter(EXT_JSON, {f"{P}url": apicurio.url, **more})
        assert_same(server_parts, lines, ours(value=converter), value=converter, same=same_json)
