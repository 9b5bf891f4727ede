"""The headers `__debezium.context.*`, which name the connector and task of a record; Debezium has them on by default."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

RUN_ID = str(uuid.uuid4())
TASK_ID = "0"


def context_headers(connector: str, logical_name: str) -> Mapping[str, str]:
    """The headers' texts by name; `logical_name` is `topic.prefix`. The run id is that of this process."""
    values = {
        "connectorLogicalName": logical_name,
        "taskId": TASK_ID,
        "connectorName": connector,
        "runId": RUN_ID,
    }
    return {f"__debezium.context.{name}": value for name, value in values.items()}
