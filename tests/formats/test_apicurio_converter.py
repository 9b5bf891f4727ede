"""tailrace's Avro beside Apicurio's real converter (3.2.4), with a real registry for both.

Both register: an id that differs tells of another artifact, another content or other references.
"""

import dataclasses
import uuid

import pytest
from tests.formats.comparing import compare, is_redefined, same_bytes
from tests.formats.connect_parts import Converter
from tests.formats.golden_lines import golden_lines, sources

from tailrace.changes.records import Records, nulls
from tailrace.encoding.avro.encoder import avro_encoder_for
from tailrace.encoding.avro.settings import avro_converter_settings

APICURIO = "io.apicurio.registry.utils.converter.AvroConverter"
SERDE = "io.apicurio.registry.serde"
CASES = {
    "registered with references": {},
    "registered whole": {"dereference-schema": "true"},
    "global ids of eight bytes": {"use-id": "globalId", "id-handler": f"{SERDE}.Legacy8ByteIdHandler"},
    "named by records": {"artifact-resolver-strategy": f"{SERDE}.avro.strategy.RecordIdStrategy"},
    "a group of its own": {"artifact.group-id": "mine"},
}
WITH_OTHER_VERSIONS = {"named by records"}
"""One of eight envelopes became another version there, as its references stood in another order; why is not known."""


WITH_ONE_TOPIC_A_SCHEMA = {"global ids of eight bytes"}
"""The real converter keeps global ids by schema alone: topics that share one have the id of the first one's artifact."""


def one_of_each_topic(case):
    """The first lines of a few sources, so that there are not too many registrations, which take their time."""
    lines = []
    for number, source in enumerate(sources()[::14]):
        if source == "made" and case in WITH_ONE_TOPIC_A_SCHEMA:
            continue
        lines += [{**line, "topic": f"s{number}.{line['topic']}", "headers": []} for line in golden_lines(source)[:15]]
    return lines


class Ours:
    def __init__(self, properties):
        settings = [avro_converter_settings(APICURIO, part, properties) for part in ("key", "value")]
        self.keys, self.values = map(avro_encoder_for, settings)

    def __call__(self, records):
        key, headers = nulls(len(records)), ()
        if records.key is not None:
            key, headers = self.keys.render_with_headers(records.key, records, records.has_key)
        value, more = self.values.render_with_headers(records.value, records, records.has_value)
        made = Records(records.topic, key, value, records.timestamps, records.positions, records.log_order)
        return [dataclasses.replace(made, headers=(*headers, *more), partition=records.partition)]


def same_data(theirs, ours):
    """Whether two keys or values are equal but for the id."""
    return theirs == ours or (None not in (theirs, ours) and theirs[5:] == ours[5:])


def properties_of(apicurio, case):
    given = {"url": apicurio.url, "auto-register": "true", "find-latest": "true", **CASES.get(case, {})}
    return {f"apicurio.registry.{name}": value for name, value in given.items()}


@pytest.mark.debezium
@pytest.mark.parametrize("case", CASES)
def test_ids_and_bytes_are_those_of_apicurios_converter(server_parts, apicurio, case):
    properties = properties_of(apicurio, case)
    converter = Converter(APICURIO, properties)
    run = uuid.uuid4().hex[:6]
    lines = [{**line, "topic": f"{run}.{line['topic']}"} for line in one_of_each_topic(case)]
    same = same_data if case in WITH_OTHER_VERSIONS else same_bytes
    found = compare(server_parts, lines, Ours(properties), key=converter, value=converter, same=same)
    differing = [each for each in found.differences if not is_redefined(each)]
    assert not differing, f"{len(differing)} of {len(lines)}\n" + "\n".join(str(each)[:1500] for each in differing[:3])
    assert found.records == len(lines) - found.failed
    assert found.records > 20
