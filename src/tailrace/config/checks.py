"""What must fit together across properties."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tailrace.config.entries import Entry
from tailrace.config.problems import Problems
from tailrace.config.properties.history import FILE_HISTORY
from tailrace.config.values import Value

_EITHER = (
    ("database.include.list", "database.exclude.list"),
    ("table.include.list", "table.exclude.list"),
    ("column.include.list", "column.exclude.list"),
    ("gtid.source.includes", "gtid.source.excludes"),
)


def check_together(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    """Add what contradicts itself, and what is missing because of something else."""
    _check_lists(values, problems)
    _check_table_names(values, problems)
    _check_queue(values, problems)
    _check_operations(values, problems)
    _check_history(values, problems)
    _check_snapshot_mode(values, entries, problems)


def _check_lists(values: Mapping[str, Value], problems: Problems) -> None:
    for include, exclude in _EITHER:
        if values[include] and values[exclude]:
            problems.add(f"{include} and {exclude} are both set; keep one")


def _check_table_names(values: Mapping[str, Value], problems: Problems) -> None:
    for name in ("table.include.list", "table.exclude.list"):
        expressions = values[name]
        for expression in expressions if isinstance(expressions, tuple) else ():
            if re.fullmatch(r"[\w$\-]+", expression):
                problems.warn(
                    f"{name}: {expression} matches no table, because tables are named database.table"
                )


def _check_queue(values: Mapping[str, Value], problems: Problems) -> None:
    queue, batch = values["max.queue.size"], values["max.batch.size"]
    if isinstance(queue, int) and isinstance(batch, int) and queue <= batch:
        problems.add(f"max.queue.size is {queue}: it must be more than max.batch.size, which is {batch}")


def _check_operations(values: Mapping[str, Value], problems: Problems) -> None:
    operations = values["skipped.operations"]
    if isinstance(operations, tuple) and "none" in operations and len(set(operations)) > 1:
        problems.add(f"skipped.operations is {','.join(operations)!r}: none stands alone")


def _check_history(values: Mapping[str, Value], problems: Problems) -> None:
    file_name = values["schema.history.internal.file.filename"]
    wants_file = values["schema.history.internal"] == FILE_HISTORY
    if wants_file and not file_name:
        problems.add(
            "schema.history.internal.file.filename is missing: the schema history is to be kept in a file"
        )
    if file_name and not wants_file:
        problems.add(
            "schema.history.internal.file.filename is set, but the schema history is not kept in a file; "
            f"set schema.history.internal={FILE_HISTORY}"
        )


def _check_snapshot_mode(
    values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems
) -> None:
    entry = entries.get("snapshot.mode")
    absent = entry is None or not (entry.text.strip() or entry.broken)
    if absent and values["snapshot.mode"] == "initial":
        problems.add_not_yet(
            "snapshot.mode is not set, and Debezium's default, initial, reads the tables first, which is not "
            "supported yet; set snapshot.mode=no_data to begin at the end of the log"
        )
