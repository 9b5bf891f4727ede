"""What Debezium and tailrace are made to live through: a case and the connector's properties.

Properties are those of `running.base`, then the scenario's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.differential.sqlserver import cases

SCHEMAS = {f"{part}.converter.schemas.enable": "true" for part in ("key", "value", "header")}
TRANSACTIONS = {"provide.transaction.metadata": "true"}
NO_STRUCTURE = {"include.schema.changes": "false"}
CHANGES = {  # what of the case `changes` both take: Debezium also takes tables that nobody captures, and rows without a key
    "table.exclude.list": r"dbo\.not_captured",
    "snapshot.include.collection.list": r"d1\.dbo\.(customers|pairs|unique_index|only_key|zz_marker)",
}
POLICIES = {
    "column.mask.with.5.chars": "dbo.policies.masked,dbo.policies.masked_nn,dbo.policies.num_masked",
    "column.mask.with.0.chars": "dbo.policies.masked0",
    "column.mask.hash.SHA-256.with.salt.CzQMA0cB5K": "dbo.policies.hashed,dbo.policies.bin_hashed",
    "column.mask.hash.v2.SHA-512.with.salt.salt": "dbo.policies.hashed2",
    "column.mask.hash.MD5.with.salt.s": "dbo.policies.hashed5",
    "column.truncate.to.5.chars": "dbo.policies.cut,dbo.policies.cut_char,dbo.policies.secret",
    "column.exclude.list": "dbo.policies.excluded",
}
POLICIES_TAKEN = {
    "snapshot.include.collection.list": r"d1\.dbo\.(policies|custom_key|zz_marker)"
}  # rows that have a key
SIGNALS = {
    "signal.data.collection": "d1.dbo.debezium_signal",
    "incremental.snapshot.chunk.size": "2",
    "notification.enabled.channels": "log,sink",
    "notification.sink.topic.name": "notices",
}
KEYS = {"message.key.columns": "dbo.custom_key:k1,k2;dbo.custom_key_no_pk:k1"}


@dataclass(frozen=True)
class Scenario:
    """A case under one set of properties; without `lasting`, only the snapshot of its beginning."""

    name: str
    case: str
    properties: Mapping[str, str] = field(default_factory=dict)
    lasting: bool = True

    @property
    def databases(self) -> list[str]:
        """Where it is played."""
        return cases.databases(self.case)


def _types(name: str, **properties: str) -> Scenario:
    given = {key.replace("_", "."): value for key, value in properties.items()}
    return Scenario(f"types, {name}", "types", NO_STRUCTURE | SCHEMAS | given)


SCENARIOS = (
    Scenario("changes", "changes", CHANGES | TRANSACTIONS),
    Scenario("changes with schemas", "changes", CHANGES | TRANSACTIONS | SCHEMAS),
    Scenario("changes by the function", "changes", CHANGES | {"data.query.mode": "function"}),
    Scenario(
        "no tombstones, updates skipped",
        "changes",
        CHANGES | {"tombstones.on.delete": "false", "skipped.operations": "u"},
    ),
    Scenario("deletes skipped", "changes", CHANGES | {"skipped.operations": "d", **TRANSACTIONS}),
    Scenario(
        "filtered, context headers",
        "changes",
        {
            "table.include.list": r"dbo\.(customers|pairs|ONLY_KEY|zz_.*)",
            "column.exclude.list": r"dbo\.customers\.email",
            "extended.headers.enabled": "true",
            **TRANSACTIONS,
        },
    ),
    Scenario(
        "columns included, other names of topics",
        "changes",
        {
            "table.exclude.list": r"dbo\.no.*",
            "column.include.list": r"dbo\.(customers\.(id|email)|pairs\.(a|b)|only_key\.id|zz_marker\.id|unique_index\..*)",
            "topic.delimiter": "_",
            "topic.transaction": "tx",
            **TRANSACTIONS,
        },
    ),
    Scenario(
        "a few transactions at a time",
        "changes",
        CHANGES | {"max.iteration.transactions": "2", "streaming.fetch.size": "3"},
    ),
    Scenario("no data", "changes", {"table.exclude.list": r"dbo\.not_captured", "snapshot.mode": "no_data"}),
    Scenario("a large transaction", "large", {**TRANSACTIONS, **NO_STRUCTURE}),
    _types("defaults"),
    _types("decimal string, binary base64, time connect", decimal_handling_mode="string", binary_handling_mode="base64",
           time_precision_mode="connect"),
    _types("decimal double, binary hex, time isostring", decimal_handling_mode="double", binary_handling_mode="hex",
           time_precision_mode="isostring"),
    _types("binary base64-url-safe, time microseconds", binary_handling_mode="base64-url-safe",
           time_precision_mode="microseconds"),
    _types("time nanoseconds", time_precision_mode="nanoseconds"),
    Scenario("types, by the function", "types", NO_STRUCTURE | {"data.query.mode": "function"}),
    Scenario("types, propagated", "types", {"column.propagate.source.type": ".*", **SCHEMAS}),
    Scenario("default values", "defaults", SCHEMAS),
    Scenario("default values, other modes", "defaults", SCHEMAS | NO_STRUCTURE | {
        "decimal.handling.mode": "string", "binary.handling.mode": "hex", "time.precision.mode": "connect"}),
    Scenario("variants", "variants", SCHEMAS),
    Scenario("policies and keys", "policies", POLICIES | POLICIES_TAKEN | KEYS | SCHEMAS | NO_STRUCTURE),
    Scenario("names", "names", SCHEMAS | TRANSACTIONS),
    Scenario("names for avro", "names", SCHEMAS | TRANSACTIONS | {
        "schema.name.adjustment.mode": "avro", "field.name.adjustment.mode": "avro"}),
    Scenario("an online change of structure", "online", TRANSACTIONS),
    Scenario("an online change of structure with schemas", "online", SCHEMAS),
    Scenario("an offline change of structure", "offline", TRANSACTIONS),
    Scenario("capture comes and goes", "capture", TRANSACTIONS),
    Scenario("a table that is not captured", "not_captured"),
    Scenario("two databases", "databases", SCHEMAS),
    Scenario("started again", "restart", TRANSACTIONS),
    Scenario("heartbeats", "restart", {"heartbeat.interval.ms": "1", **SCHEMAS}),
    Scenario("incremental snapshot", "signals", SIGNALS),
    Scenario("snapshot alone", "changes", CHANGES | TRANSACTIONS, lasting=False),
    Scenario("snapshot alone of two databases", "databases", TRANSACTIONS, lasting=False),
)  # fmt: skip


def named(name: str) -> Scenario:
    """The scenario of this name."""
    return next(scenario for scenario in SCENARIOS if scenario.name == name)
