"""The headers that tell of the task a record comes from, `__debezium.context.*`: on in Debezium, off here by default."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

RUN_ID = str(uuid.uuid4())
TASK_ID = "0"


def context_headers(connector: str, logical_name: str) -> Mapping[str, str]:
    """The texts of the headers by name; `logical_name` is the topic prefix. The run is this process."""
    values = {
        "connectorLogicalName": logical_name,
        "taskId": TASK_ID,
        "connectorName": connector,
        "runId": RUN_ID,
    }
    return {f"__debezium.context.{name}": value for name, value in values.items()}
