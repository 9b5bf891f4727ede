"""What Debezium and tailrace are made to live through: a case and the connector's properties.

Properties are those of `scenario_session.base`, then the scenario's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SCHEMAS = {f"{part}.converter.schemas.enable": "true" for part in ("key", "value", "header")}
TRANSACTIONS = {"provide.transaction.metadata": "true"}
NO_STRUCTURE = {"include.schema.changes": "false"}

POLICIES = {
    "column.mask.with.5.chars": "DB2INST1.POLICIES.MASKED,DB2INST1.POLICIES.MASKED_NN,DB2INST1.POLICIES.NUM_MASKED",
    "column.mask.with.0.chars": "DB2INST1.POLICIES.MASKED0",
    "column.mask.hash.SHA-256.with.salt.CzQMA0cB5K": "DB2INST1.POLICIES.HASHED,DB2INST1.POLICIES.BIN_HASHED",
    "column.mask.hash.v2.SHA-512.with.salt.salt": "DB2INST1.POLICIES.HASHED2",
    "column.mask.hash.MD5.with.salt.s": "DB2INST1.POLICIES.HASHED5",
    "column.truncate.to.5.chars": "DB2INST1.POLICIES.CUT,DB2INST1.POLICIES.CUT_CHAR,DB2INST1.POLICIES.SECRET",
    "column.exclude.list": "DB2INST1.POLICIES.EXCLUDED",
}
KEYS = {"message.key.columns": "DB2INST1.CUSTOM_KEY:K1,K2;DB2INST1.CUSTOM_KEY_NO_PK:K1"}
SIGNALS = {
    "signal.data.collection": "DB2INST1.DEBEZIUM_SIGNAL",
    "incremental.snapshot.chunk.size": "2",
    "notification.enabled.channels": "log,sink",
    "notification.sink.topic.name": "notices",
}
PROCESSING = {"source.timestamp.mode": "processing"}  # Debezium has no other, and does not know the property


@dataclass(frozen=True)
class Scenario:
    """A case under one set of properties; without `lasting`, only the snapshot of its beginning."""

    name: str
    case: str
    properties: Mapping[str, str] = field(default_factory=dict)
    lasting: bool = True

    @property
    def schema(self) -> str:
        """The capture schema."""
        return self.properties.get("cdc.control.schema", "ASNCDC")

    @property
    def platform(self) -> str:
        """Which Db2 it is played on."""
        return self.properties.get("db2.platform", "LUW")

    @property
    def snapshots_each_time(self) -> bool:
        """There is a snapshot whenever the connector starts."""
        return self._mode == "always"

    @property
    def has_rows(self) -> bool:
        """Its snapshot has rows."""
        return self._mode not in {"no_data", "schema_only", "recovery"}

    @property
    def _mode(self) -> str:
        return self.properties.get("snapshot.mode", "initial")


def _types(name: str, **properties: str) -> Scenario:
    given = {key.replace("_", "."): value for key, value in properties.items()}
    return Scenario(f"types, {name}", "types", NO_STRUCTURE | SCHEMAS | given)


def _snapshot(name: str, **properties: str) -> Scenario:
    given = {key.replace("_", "."): value for key, value in properties.items()}
    return Scenario(f"snapshot alone, {name}", "changes", given, lasting=False)


SCENARIOS = (
    Scenario("changes", "changes", TRANSACTIONS),
    Scenario("changes with schemas", "changes", TRANSACTIONS | SCHEMAS),
    Scenario("changes at the time of processing", "changes", TRANSACTIONS | PROCESSING),
    Scenario("no tombstones, updates skipped", "changes", {"tombstones.on.delete": "false", "skipped.operations": "u"}),
    Scenario("deletes skipped", "changes", {"skipped.operations": "d", **TRANSACTIONS}),
    Scenario("filtered, context headers", "changes", {
        "table.include.list": r"DB2INST1\.(CUSTOMERS|PAIRS|only_key|ZZ_.*)",
        "column.exclude.list": r"DB2INST1\.CUSTOMERS\.EMAIL",
        "extended.headers.enabled": "true",
        **TRANSACTIONS,
    }),
    Scenario("columns included, other names of topics", "changes", {
        "table.exclude.list": r"DB2INST1\.NO.*",
        "column.include.list": r"DB2INST1\.(CUSTOMERS\.(ID|EMAIL)|PAIRS\.(A|B)|ONLY_KEY\.ID|ZZ_MARKER\.ID)",
        "topic.delimiter": "_",
        "topic.transaction": "tx",
        **TRANSACTIONS,
    }),
    Scenario("in windows of time", "changes", {"streaming.query.timespan.seconds": "2", "query.fetch.size": "3"}),
    Scenario("no data", "changes", {"snapshot.mode": "no_data"}),
    Scenario("heartbeats", "restart", {"heartbeat.interval.ms": "1", **SCHEMAS}),
    Scenario("a large transaction", "large", TRANSACTIONS | NO_STRUCTURE),
    _types("adaptive"),
    _types("decimal string, time connect", decimal_handling_mode="string", time_precision_mode="connect"),
    _types("decimal double, time isostring", decimal_handling_mode="double", time_precision_mode="isostring"),
    _types("time microseconds", time_precision_mode="microseconds"),
    _types("time nanoseconds", time_precision_mode="nanoseconds"),
    _types("time adaptive_time_microseconds, binary hex", time_precision_mode="adaptive_time_microseconds", binary_handling_mode="hex"),
    Scenario("types, propagated", "types", {"column.propagate.source.type": ".*", **SCHEMAS}),
    Scenario("old dates", "old_dates", SCHEMAS | NO_STRUCTURE),
    Scenario("old dates, time isostring", "old_dates", NO_STRUCTURE | {"time.precision.mode": "isostring"}),
    Scenario("default values", "defaults", SCHEMAS),
    Scenario("default values, other modes", "defaults", SCHEMAS | NO_STRUCTURE | {
        "decimal.handling.mode": "string", "time.precision.mode": "connect"}),
    Scenario("policies and keys", "policies", POLICIES | KEYS | SCHEMAS | NO_STRUCTURE),
    Scenario("unique indexes", "unique_indexes", TRANSACTIONS),
    Scenario("names", "names", SCHEMAS | TRANSACTIONS),
    Scenario("names for avro", "names", SCHEMAS | TRANSACTIONS | {
        "schema.name.adjustment.mode": "avro", "field.name.adjustment.mode": "avro"}),
    Scenario("an online change of structure", "online", TRANSACTIONS),
    Scenario("an online change of structure with schemas", "online", SCHEMAS),
    Scenario("an offline change of structure", "offline", TRANSACTIONS),
    Scenario("capture comes and goes", "capture", TRANSACTIONS),
    Scenario("a table that is not captured", "not_captured"),
    Scenario("change tables in another schema", "schemas", {
        "cdc.change.tables.schema": "CHANGES", "table.include.list": r"DB2INST1\..*", **TRANSACTIONS}),
    Scenario("another capture schema", "control", {
        "cdc.control.schema": "CAP1", "cdc.change.tables.schema": "CAP1", "table.include.list": r"DB2INST1\..*", **TRANSACTIONS}),
    Scenario("on z/OS", "zos", {"db2.platform": "ZOS", **TRANSACTIONS}),
    Scenario("on z/OS with schemas, other modes", "zos", {
        "db2.platform": "ZOS", "decimal.handling.mode": "string", "time.precision.mode": "isostring", **SCHEMAS, **NO_STRUCTURE}),
    Scenario("started again", "restart", TRANSACTIONS),
    Scenario("always", "restart", {"snapshot.mode": "always"}),
    Scenario("when needed", "restart", {"snapshot.mode": "when_needed"}),
    Scenario("stopped within a transaction", "held", TRANSACTIONS),
    Scenario("incremental snapshot", "signals", SIGNALS),
    Scenario("blocking snapshot", "blocking", SIGNALS),
    _snapshot("initial"),
    _snapshot("initial_only", snapshot_mode="initial_only"),
    _snapshot("exclusive", snapshot_isolation_mode="exclusive"),
    _snapshot("repeatable_read, no locks", snapshot_isolation_mode="repeatable_read", snapshot_locking_mode="none"),
    _snapshot("read_committed", snapshot_isolation_mode="read_committed"),
    _snapshot("read_uncommitted", snapshot_isolation_mode="read_uncommitted"),
)  # fmt: skip


def named(name: str) -> Scenario:
    """The scenario of this name."""
    return next(scenario for scenario in SCENARIOS if scenario.name == name)
