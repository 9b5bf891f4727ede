"""JSON Schemas as the library Everit describes them, in a Java machine of its own.

Started as a child process. The first line of the standard input names the Java runtime and the jars. Each further line is the
text of a schema as a JSON string, which Everit reads; the answer is the text that it writes of it, as Jackson writes that text.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import jpype


def main() -> None:
    """Answer schemas; whatever Java prints goes to the standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given = json.loads(sys.stdin.readline())
    jpype.startJVM(given["libjvm"], *given["java_options"], classpath=given["jars"], convertStrings=True)
    mapper = exact_mapper()
    for line in sys.stdin:
        print(json.dumps(described(mapper, json.loads(line))), file=answers, flush=True)


def described(mapper: Any, text: str) -> str:
    """The schema's text once more."""
    loader = jpype.JClass("org.everit.json.schema.loader.SchemaLoader").builder()
    read = loader.useDefaults(True).schemaJson(jpype.JClass("org.json.JSONObject")(text)).build()
    schema = read.load().build()
    return str(mapper.writeValueAsString(mapper.readTree(schema.toString())))


def exact_mapper() -> Any:
    """Reads numbers as decimal numbers, and writes them so."""
    found = jpype.JClass("com.fasterxml.jackson.databind.ObjectMapper")()
    found.enable(jpype.JClass("com.fasterxml.jackson.databind.DeserializationFeature").USE_BIG_DECIMAL_FOR_FLOATS)
    found.setNodeFactory(jpype.JClass("com.fasterxml.jackson.databind.node.JsonNodeFactory").withExactBigDecimals(True))
    return found


if __name__ == "__main__":
    main()
