"""The headers that tell of the task a record comes from, `__debezium.context.*`: on in Debezium, off here by default."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from tailrace.encoding.connect_json import message_json
from tailrace.schema.connect import Schema, Type

RUN_ID = str(uuid.uuid4())
TASK_ID = "0"


def context_headers(connector: str, logical_name: str, *, with_schema: bool) -> Mapping[str, bytes]:
    """The headers by name, as JSON; `logical_name` is the topic prefix. The run is this process."""
    values = {
        "connectorLogicalName": logical_name,
        "taskId": TASK_ID,
        "connectorName": connector,
        "runId": RUN_ID,
    }
    text = Schema(Type.STRING)
    return {
        f"__debezium.context.{name}": message_json(text, value, with_schema=with_schema)
        for name, value in values.items()
    }
