"""A restart position from the command line: tailrace's own JSON, or an offset of Debezium's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tailrace.connectors.mysql.positions import RestartPosition


def restart_from(given: Mapping[str, Any]) -> dict[str, Any]:
    """As a restart position of this connector; raises `ProgressError` if it is neither."""
    own = set(given) <= set(RestartPosition.__dataclass_fields__)
    read = RestartPosition.from_dict if own else RestartPosition.from_debezium
    return read(given).to_dict()
