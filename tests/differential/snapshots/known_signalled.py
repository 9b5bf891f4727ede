"""Every difference that stays in what is told around signals: of fields (`KNOWN`), and of whole records (`LEFT_OUT`)."""

from __future__ import annotations

import re
from typing import Any

from tests.differential.known import Known
from tests.differential.snapshots.running import Captured
from tests.differential.snapshots.signalled_comparing import NOTICES, LeftOut, key_of

SIGNALS = "dbz.s_inc.debezium_signal"


def _is_nobodys(_: Any, tailrace: Any) -> bool:
    return tailrace in (0, "NoneType")


def _same_names(debezium: str, tailrace: str) -> bool:
    return sorted(debezium.split(",")) == sorted(tailrace.split(","))


KNOWN: tuple[Known, ...] = (
    Known(
        "The source of rows that a signal asked for",
        r"dbz\.s_inc\.(orders|items|coded)",
        r"value(\.payload)?\.source\.(gtid|server_id|thread)",
        r"incremental.*|blocking",
        _is_nobodys,
    ),
    Known(
        "Structures that a signal gives",
        r"dbz",
        r"value\.source\.(gtid|server_id|thread)",
        "other signals",
        _is_nobodys,
    ),
    Known(
        "Structures that a signal gives",
        r"dbz",
        r"value\.source\.table",
        "other signals",
        lambda debezium, tailrace: (debezium, tailrace) == ("debezium_signal", "orders"),
    ),
    Known(
        "An incremental snapshot that is stopped",
        NOTICES,
        r"(key|value)\.id",
        "incremental, paused and stopped",
        lambda debezium, tailrace: (debezium, tailrace) == ("random", "to-stop-all"),
    ),
    Known(
        "An incremental snapshot that is stopped",
        NOTICES,
        r"value\.additional_data\.data_collections",
        "incremental, paused and stopped",
        _same_names,
    ),
    Known(
        "An incremental snapshot that goes on after a restart",
        NOTICES,
        r"value\.additional_data\.total_rows_scanned",
        "incremental, started again",
        lambda debezium, tailrace: (debezium, tailrace) == ("4", "7"),
    ),
)


def _is_window(record: Captured) -> bool:
    return record.record.topic == SIGNALS and re.search(r"-(open|close)$", key_of(record)["id"]) is not None


def _ends_what_is_stopped(record: Captured) -> bool:
    return _is_notice(record, "COMPLETED") and record.value["id"] == "to-stop-all"


def _ends_the_pause(record: Captured) -> bool:
    if record.record.topic == SIGNALS:
        return bool(key_of(record)["id"] == "resume")
    return _is_notice(record, "RESUMED")


def _is_notice(record: Captured, type_: str) -> bool:
    return record.record.topic == NOTICES and record.value["type"] == type_


LEFT_OUT: tuple[LeftOut, ...] = (
    LeftOut("Windows of an incremental snapshot", of_debezium=True, matches=_is_window, scenario=r"incremental.*"),
    LeftOut(
        "An incremental snapshot that is stopped",
        of_debezium=True,
        matches=_ends_what_is_stopped,
        scenario="incremental, paused and stopped",
    ),
    LeftOut(
        "An incremental snapshot that goes on after a restart",
        of_debezium=False,
        matches=_ends_the_pause,
        scenario="incremental, started again",
    ),
)
