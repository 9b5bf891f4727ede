"""The settings under which the history is read: each variant is one run of Debezium and one of tailrace.

Every variant reads all cases of its server's history, unless its settings filter them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FULL, MINIMAL = "full metadata, GTID on", "minimal metadata, GTID off"
HISTORY = ("types", "keys", "ddl", "defaults")
LATE = ("late",)  # played after HISTORY
OFF = {f"{part}.converter.schemas.enable": "false" for part in ("key", "value", "header")}
TYPES_ONLY = {
    "database.include.list": "d_types,d_defaults,tailrace_marker",
    "include.schema.changes": "false",
}
_P = "d_defaults.policies"
POLICIES = {
    "column.mask.with.5.chars": f"{_P}.masked,{_P}.masked_nn,{_P}.enum_masked,{_P}.num_masked",
    "column.mask.with.0.chars": f"{_P}.masked0",
    "column.mask.hash.SHA-256.with.salt.CzQMA0cB5K": f"{_P}.hashed,{_P}.hashed_char,{_P}.num_hashed,{_P}.bin_hashed",
    "column.mask.hash.v2.SHA-512.with.salt.salt": f"{_P}.hashed2",
    "column.mask.hash.MD5.with.salt.s": f"{_P}.hashed5",
    "column.truncate.to.5.chars": f"{_P}.cut,{_P}.cut_char,{_P}.num_cut",
    "column.exclude.list": f"{_P}.excluded",
}
KEYS = {"message.key.columns": "d_defaults.custom_key:k1,k2;d_defaults.custom_key_no_pk:k1;d_keys.tx2:v"}
_CONVERTERS = "io.debezium.connector.binlog.converters."
BOOLEANS = {
    "converters": "one,any",
    "one.type": "io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter",
    "any.type": f"{_CONVERTERS}TinyIntOneToBooleanConverter",
    "any.selector": r"d_types\.ints\.tiu, D_DEFAULTS\.numbers\.t.",
    "any.length.checker": "false",
}
JDBC_SINK = {
    "converters": "sink",
    "sink.type": f"{_CONVERTERS}JdbcSinkDataTypesConverter",
    "sink.selector.boolean": r"d_types\.ints\.(ti.*|b|mi|biu),d_types\.decimals\.d52,d_types\.floats\.d,d_defaults\.numbers\.(b.?|tn|dn)",
    "sink.selector.real": r"d_types\.floats\.(f|r|d124)|d_types\.decimals\.n|d_types\.ints\.si,d_defaults\.numbers\.(f|dbe?|d)",
    "sink.selector.string": r"d_types\.strings\..*|d_types\.charsets\.(u3|asc_|cbin)|d_types\.ints\.(i|bi|y)|d_defaults\.(texts\.[cv].?|policies\.m.*)",
}
ZERO_DATES = {"converters": "zero", "zero.type": f"{_CONVERTERS}ZeroDateFallbackConverter"}
TRANSACTIONS = {
    "provide.transaction.metadata": "true",
    "include.query": "true",
    "skipped.operations": "none",
}


@dataclass(frozen=True)
class Variant:
    """One set of properties, read from one server's history."""

    name: str
    properties: Mapping[str, str] = field(default_factory=dict)
    server: str = FULL
    delimiter: str = "."
    late: bool = False  # the connector starts after HISTORY, before LATE

    @property
    def marker(self) -> str:
        """The topic whose record ends a run."""
        return self.delimiter.join(("dbz", "tailrace_marker", "marker"))


VARIANTS = (
    Variant("defaults"),
    Variant("no schemas", OFF),
    Variant("time connect", {"time.precision.mode": "connect", **TYPES_ONLY}),
    Variant("time isostring", {"time.precision.mode": "isostring", **TYPES_ONLY}),
    Variant("time microseconds", {"time.precision.mode": "microseconds", **TYPES_ONLY}),
    Variant("time nanoseconds", {"time.precision.mode": "nanoseconds", **TYPES_ONLY}),
    Variant(
        "decimal string, binary base64",
        {"decimal.handling.mode": "string", "binary.handling.mode": "base64"} | TYPES_ONLY,
    ),
    Variant(
        "decimal double, binary hex, bigint precise",
        {
            "decimal.handling.mode": "double",
            "binary.handling.mode": "hex",
            "bigint.unsigned.handling.mode": "precise",
        }
        | TYPES_ONLY,
    ),
    Variant(
        "binary base64-url-safe, bigint precise, no schemas",
        {"binary.handling.mode": "base64-url-safe", "bigint.unsigned.handling.mode": "precise"} | TYPES_ONLY | OFF,
    ),
    Variant(
        "decimal string, bigint precise",
        {"decimal.handling.mode": "string", "bigint.unsigned.handling.mode": "precise"} | TYPES_ONLY,
    ),
    Variant("transactions, query, truncate", TRANSACTIONS),
    Variant("transactions, query, truncate, no schemas", TRANSACTIONS | OFF),
    Variant("column policies, message keys", POLICIES | KEYS | {"include.schema.changes": "false"}),
    Variant("column policies, message keys, no schemas", POLICIES | KEYS | OFF),
    Variant("propagated column types", {"column.propagate.source.type": ".*", "include.schema.changes": "false"}),
    Variant(
        "propagated data types",
        {
            "datatype.propagate.source.type": r".*\.(VARCHAR|DECIMAL|INT UNSIGNED|DATETIME|ENUM)",
            "include.schema.changes": "false",
        },
    ),
    Variant(
        "names for avro",
        {
            "schema.name.adjustment.mode": "avro",
            "field.name.adjustment.mode": "avro",
            "column.exclude.list": r".*\.a-b,.*\.a\.b",  # Debezium stops where two fields get one name
        },
    ),
    Variant(
        "names for avro, unicode",
        {"schema.name.adjustment.mode": "avro_unicode", "field.name.adjustment.mode": "avro_unicode"},
    ),
    Variant("custom converter: booleans", BOOLEANS | TYPES_ONLY),
    Variant("custom converter: types for the JDBC sink", JDBC_SINK | POLICIES | TYPES_ONLY),
    Variant(
        "custom converter: types for the JDBC sink, propagated, real as float",
        JDBC_SINK | {"sink.treat.real.as.double": "false", "column.propagate.source.type": ".*"} | TYPES_ONLY | KEYS,
    ),
    Variant("custom converter: zero dates", ZERO_DATES | TYPES_ONLY | {"time.precision.mode": "connect"}),
    Variant(
        "custom converter: zero dates as values",
        ZERO_DATES
        | {
            "zero.fallback.date": "1970-01-01",
            "zero.fallback.datetime": "1999-12-31 23:59:59",
            "zero.fallback.timestamp": "2000-01-01T01:02:03.450+02:00",
            "zero.column.d_types.zero_dates.dtn.fallback": "null",
            "zero.column.d_types.zero_dates.tsn.fallback": "1970-01-01T00:00:00Z",
        }
        | TYPES_ONLY,
    ),
    Variant("no tombstones, updates skipped", {"tombstones.on.delete": "false", "skipped.operations": "u,t"}),
    Variant("comments, context headers", {"include.schema.comments": "true", "extended.headers.enabled": "true"}),
    Variant(
        "included tables and columns",
        {
            "table.include.list": r"d_keys\.(pk|tx.*),D_DDL.T3?,tailrace_marker.marker",
            "column.include.list": r"d_keys.pk.id,d_keys.tx1.*,d_ddl.*,tailrace_marker.*",
        },
    ),
    Variant(
        "excluded tables and columns",
        {
            "table.exclude.list": r"d_keys\.(pk|tx.*)",
            "column.exclude.list": r".*\.v",
            "schema.history.internal.store.only.captured.tables.ddl": "true",
        },
    ),
    Variant(
        "schemas for values only",
        {"key.converter.schemas.enable": "false", "include.schema.changes": "false"},
    ),
    Variant(
        "other delimiter and transaction topic",
        {"topic.delimiter": "_", "topic.transaction": "tx", "provide.transaction.metadata": "true"} | OFF,
        delimiter="_",
    ),
    Variant("defaults, minimal", server=MINIMAL),
    Variant("no schemas, minimal", OFF, server=MINIMAL),
    Variant("transactions, query, truncate, minimal", TRANSACTIONS, server=MINIMAL),
    Variant("column policies, message keys, minimal", POLICIES | KEYS, server=MINIMAL),
    Variant("propagated column types, minimal", {"column.propagate.source.type": ".*"}, server=MINIMAL),
    Variant("late start", late=True),
    Variant("late start, time isostring", {"time.precision.mode": "isostring", **OFF}, late=True),
    Variant("late start, minimal", server=MINIMAL, late=True),
)

_QUICK = {"heartbeat.interval.ms": "1"}
HEARTBEATS = (  # how many there are depends on the moment: only what they look like is compared
    Variant("heartbeats", _QUICK),
    Variant("heartbeats, no schemas, named", _QUICK | OFF | {"topic.heartbeat.name": "alive"}),
    Variant(
        "heartbeats, names for avro, minimal",
        _QUICK | {"topic.heartbeat.prefix": "hb", "schema.name.adjustment.mode": "avro", "include.schema.changes": "true"},
        server=MINIMAL,
    ),
)


def all_properties(variant: Variant, base: Mapping[str, str], folder: Path) -> dict[str, str]:
    """What both systems are given; the headers that tailrace leaves out by default are left out by both."""
    return {**base, "extended.headers.enabled": "false", **variant.properties} | {
        "schema.history.internal.file.filename": str(folder / "history.jsonl")
    }
