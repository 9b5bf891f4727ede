"""What Debezium's offsets say of incremental snapshots, in all databases alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tailrace.errors import ProgressError

_PREFIX: Final = "incremental_snapshot_"
_OF_ANY_TIME: Final = f"{_PREFIX}signal_offset"  # the place in the signals' topic, of every connector with `read.only`


def refuse_incremental_snapshot(offset: Mapping[str, Any]) -> None:
    """Refuse an offset that was written within an incremental snapshot.

    Raises:
        ProgressError: it was.

    """
    if any(name.startswith(_PREFIX) and name != _OF_ANY_TIME for name in offset):
        raise ProgressError(
            "Debezium's offset was written within an incremental snapshot: let Debezium finish it, or end it with a "
            "stop-snapshot signal, then stop Debezium and take its offset again"
        )
