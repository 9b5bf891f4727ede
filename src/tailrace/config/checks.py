"""Checks across properties: combinations that contradict each other, and properties that another one requires.

Each check reads values of several properties. `unless_unknown` skips a check when one of them is not known yet, because its
placeholder is filled only where the connector is deployed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tailrace.config.entries import Entry, is_given
from tailrace.config.filters import Naming
from tailrace.config.problems import Problems
from tailrace.config.properties.history import FILE_HISTORY, KAFKA_HISTORY
from tailrace.config.properties.own import AT_LEAST_ONCE
from tailrace.config.unknown_values import unless_unknown
from tailrace.config.values import Value

Pairs = Sequence[tuple[str, str]]

_EITHER = (
    ("database.include.list", "database.exclude.list"),
    ("table.include.list", "table.exclude.list"),
    ("column.include.list", "column.exclude.list"),
    ("schema.include.list", "schema.exclude.list"),
)


def check_together(
    values: Mapping[str, Value],
    entries: Mapping[str, Entry],
    naming: Naming,
    problems: Problems,
    either: Pairs = (),
) -> None:
    """Add problems of combined properties, in the configuration of any connector.

    `naming` is how its lists name tables. `either` are pairs of its own properties that exclude each other. Signals are checked
    in `signal_checks`, Kafka's clients in `tailrace.kafka`.
    """
    _check_lists(values, (*_EITHER, *either), problems)
    _check_table_names(values, naming, problems)
    _check_queue(values, problems)
    _check_operations(values, problems)
    _check_file_history(values, problems)
    _check_kafka_history(values, entries, problems)
    _check_guarantee(values, problems)
    _check_transactional_id(entries, problems)


@unless_unknown
def _check_lists(values: Mapping[str, Value], pairs: Pairs, problems: Problems) -> None:
    for include, exclude in pairs:
        if values.get(include) and values.get(exclude):
            problems.add(f"{include} and {exclude} are both set; keep one")


@unless_unknown
def _check_table_names(values: Mapping[str, Value], naming: Naming, problems: Problems) -> None:
    for name in ("table.include.list", "table.exclude.list"):
        expressions = values[name]
        for expression in expressions if isinstance(expressions, tuple) else ():
            # without a dot or any other special character the expression can't match a name that contains a dot
            if re.fullmatch(r"[\w$\-]+", expression):
                problems.warn(
                    f"{name}: {expression} matches no table, because tables are named {naming.value}"
                )


@unless_unknown
def _check_queue(values: Mapping[str, Value], problems: Problems) -> None:
    queue, batch = values["max.queue.size"], values["max.batch.size"]
    if isinstance(queue, int) and isinstance(batch, int) and queue <= batch:
        problems.add(f"max.queue.size is {queue}: it must be more than max.batch.size, which is {batch}")


@unless_unknown
def _check_operations(values: Mapping[str, Value], problems: Problems) -> None:
    operations = values["skipped.operations"]
    if isinstance(operations, tuple) and "none" in operations and len(set(operations)) > 1:
        problems.add(f"skipped.operations is {','.join(operations)!r}: none stands alone")


@unless_unknown
def _check_file_history(values: Mapping[str, Value], problems: Problems) -> None:
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


@unless_unknown
def _check_kafka_history(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
    """Debezium's default class is the Kafka one: naming a topic or brokers is enough to choose it."""
    names = ("schema.history.internal.kafka.topic", "schema.history.internal.kafka.bootstrap.servers")
    named = [name for name in names if is_given(entries, name)]
    kind, absent = values["schema.history.internal"], not is_given(entries, "schema.history.internal")
    if kind == KAFKA_HISTORY or (absent and named):
        for name in names:
            if name not in named:
                problems.add(f"{name} is missing: the schema history is to be kept in a Kafka topic")
    elif not absent:
        for name in named:
            problems.warn(f"{name} has no effect: schema.history.internal is not {KAFKA_HISTORY}")


@unless_unknown
def _check_guarantee(values: Mapping[str, Value], problems: Problems) -> None:
    if values["exactly.once.support"] == "required" and values["tailrace.delivery.guarantee"] == AT_LEAST_ONCE:
        problems.add(
            f"tailrace.delivery.guarantee is {AT_LEAST_ONCE!r} and exactly.once.support is 'required': change one of them"
        )


def _check_transactional_id(entries: Mapping[str, Entry], problems: Problems) -> None:
    if is_given(entries, "producer.override.transactional.id"):
        problems.add(
            "producer.override.transactional.id can't be set, as each lane has an id of its own; "
            "tailrace.transactional.id.prefix is what they begin with"
        )
