"""tailrace's JSON Schemas through the library Everit, by which Confluent's converter describes its own.

The converter itself could not be had. What is compared is the order of members and the form of values: Everit must write each
schema as it stands. Defaults of large numbers are not among them: org.json reads them in another type than the converter's.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.differential.debezium import QUICK_START, SILENT
from tests.differential.jars import UnavailableError, java_home, libjvm
from tests.formats.golden_lines import every_line
from tests.formats.golden_schemas import schema_of

from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.json_schema.schema_text import json_schema
from tailrace.errors import ConfigError
from tailrace_standins.servers.apicurio_registry import registry_jars
from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.java_jars import Unavailable

_JARS = ("everit-json-schema", "org.json.", "jackson-", "re2j", "commons-validator", "handy-uri")


def settings():
    try:
        home, jars = java_home(), [str(jar) for jar in registry_jars() if any(name in jar.name for name in _JARS)]
    except (Unavailable, UnavailableError) as reason:
        pytest.skip(f"no Everit: {reason}")
    return {"libjvm": str(libjvm(home)), "java_options": [*QUICK_START, *SILENT], "jars": jars}


def texts(refused):
    """Of all schemas that can be had, with both kinds of objects; those that are refused are added to the list."""
    known = {json.dumps(line[part]["schema"]) for line in every_line() for part in ("key", "value") if line[part]}
    for each in sorted(known):
        for additional in (True, False):
            try:
                yield json_schema(schema_of(json.loads(each)), JsonSchemaOptions(additional_properties=additional)).text
            except ConfigError:  # a map whose keys are numbers; there is one
                refused.append(each)


@pytest.mark.debezium
def test_everit_writes_each_schema_as_it_stands():
    refused = []
    given = list(texts(refused))
    assert len(set(refused)) == 1
    lines = [json.dumps(settings()), *map(json.dumps, given)]
    command = [*dying_with_parent(), sys.executable, str(Path(__file__).with_name("everit_engine.py"))]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(given) > 800, done.stderr[-2000:]
    differing = [pair for pair in zip(given, found, strict=True) if pair[0] != pair[1]]
    assert not differing, differing[0]
