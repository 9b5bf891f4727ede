"""Apicurio's ExtJsonConverter beside the real one (3.2.4), with a real registry for both: an id tells of a schema's text."""

import uuid

import pytest
from tests.formats.comparing import assert_same, compare, same_json
from tests.formats.connect_parts import Converter
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
    found = assert_same(
        server_parts, lines_of_a_run(), ours(converter, converter), key=converter, value=converter, same=same_json
    )
    assert found.records > 50


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
