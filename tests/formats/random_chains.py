"""Random chains of transforms with valid options and predicates, for hypothesis. The most used transforms come most often.

HoistField is not among them: of a null without a schema the real one makes a map without a schema, which is known to differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hypothesis import strategies as st
from tests.formats.chains import KAFKA
from tests.formats.connect_parts import Predicate, Transform

DEBEZIUM: Final = "io.debezium.transforms."
_COLUMNS: Final = ("id", "name", "v", "n", "a", "missing")
_OF_ENVELOPES: Final = ("op", "after", "source", "ts_ms", "before")
_ADDED: Final = ("__op", "__table", "__deleted", "added", "moved")
_TOPICS: Final = (
    (r"([^.]+)\.([^.]+)\.([^.]+)", "$3"),
    (r"([^.]+)\.([^.]+)\.([^.]+)", "$1_$2_$3"),
    ("(.*)", "$1-cdc"),
    (r"(?<all>.*)", "all.${all}"),
    (r".*\.([a-m])[^.]*", "$1"),
    ("nothing", "else"),
)
Options = st.SearchStrategy[dict[str, str]]


def _names(*more: Sequence[str]) -> st.SearchStrategy[str]:
    return st.sampled_from([name for names in (_COLUMNS, _COLUMNS, *more) for name in names])


_ANY: Final = _names(_OF_ENVELOPES, _ADDED)


def _list(names: st.SearchStrategy[str], least: int = 1, most: int = 3) -> st.SearchStrategy[str]:
    return st.lists(names, min_size=least, max_size=most, unique=True).map(",".join)


def _some(needed: Mapping[str, st.SearchStrategy[str]], **optional: st.SearchStrategy[str]) -> Options:
    """Options: all that are needed, and some of the others; `__` in a name is a dot."""
    others = {name.replace("__", "."): values for name, values in optional.items()}
    return st.fixed_dictionaries(dict(needed), optional=others)


_FLAG: Final = st.sampled_from(["true", "false"])
_SYNTAX: Final = st.sampled_from(["V1", "V2"])
_TARGETS: Final = st.sampled_from(["string", "unix", "Date", "Time", "Timestamp"])


def _unwrap() -> Options:
    fields = st.sampled_from(["op", "table", "db", "source.ts_ms", "ts_ms", "transaction.id", "nothing", "ts_us:when"])
    return _some(
        {},
        delete__tombstone__handling__mode=st.sampled_from(
            ["drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone"]
        ),
        add__fields=_list(fields),
        add__headers=_list(fields),
        add__fields__prefix=st.sampled_from(["", "x_", "__"]),
        route__by__field=st.sampled_from(["name", "v"]),
        replace__null__with__default=_FLAG,
    )


def _insert() -> Options:
    name = st.sampled_from(["added", "added?", "added!", "other"])
    static = st.fixed_dictionaries({"static.field": name, "static.value": st.sampled_from(["x", "", "12"])})
    return st.one_of(
        static,
        name.map(lambda field: {"topic.field": field}),
        name.map(lambda field: {"timestamp.field": field}),
        static.map(lambda given: given | {"topic.field": "topic"}),
    )


def _renames() -> st.SearchStrategy[str]:
    return st.tuples(_ANY, st.sampled_from(["moved", "id", "name"])).map(":".join)


def _route() -> Options:
    return st.sampled_from(_TOPICS).map(lambda pair: {"regex": pair[0], "replacement": pair[1]})


def _logical() -> Options:
    pairs = st.sampled_from(_TOPICS[:4]).map(lambda pair: {"topic.regex": pair[0], "topic.replacement": pair[1]})
    more = _some({}, key__enforce__uniqueness=_FLAG, key__field__name=st.just("shard"))
    return st.tuples(pairs, more).map(lambda both: both[0] | both[1])


def _outbox() -> Options:
    return _some(
        {"table.field.event.key": _names(), "route.by.field": st.sampled_from(["name", "v", "id"])},
        table__field__event__id=st.just("id"),
        table__field__event__payload=_names(),
        table__op__invalid__behavior=st.sampled_from(["warn", "error"]),
    )


_LITERALS: Final = st.sampled_from(["x", "12", "true", "1.5", "1,2", ""])
_HEADERS: Final = st.sampled_from(["__op", "h", "g", "__debezium.newkey"])
_BOTH: Final = ("$Key", "$Value", "$Value", "$Value")
_KINDS: Final[tuple[tuple[int, str, tuple[str, ...], Options], ...]] = (
    (8, f"{DEBEZIUM}ExtractNewRecordState", ("",), _unwrap()),
    (6, f"{KAFKA}RegexRouter", ("",), _route()),
    (4, f"{KAFKA}InsertField", _BOTH, _insert()),
    (4, f"{KAFKA}ReplaceField", _BOTH, _some({}, exclude=_list(_ANY), include=_list(_ANY, most=6), renames=_renames())),
    (4, f"{KAFKA}ValueToKey", ("",), _some({"fields": _list(_ANY, most=2)}, replace__null__with__default=_FLAG)),
    (3, f"{KAFKA}ExtractField", _BOTH, _some({"field": st.one_of(_ANY, st.just("after.id"))}, field__syntax__version=_SYNTAX)),
    (3, f"{DEBEZIUM}ByLogicalTableRouter", ("",), _logical()),
    (3, f"{KAFKA}TimestampConverter", _BOTH, _some({"target.type": _TARGETS, "field": _ANY, "format": st.just("yyyy-MM-dd")})),
    (2, f"{DEBEZIUM}outbox.EventRouter", ("",), _outbox()),
    (2, f"{KAFKA}MaskField", _BOTH, _some({"fields": _list(_ANY)}, replacement=st.sampled_from(["x", "12", "1.5"]))),
    (2, f"{KAFKA}Cast", _BOTH, _some({"spec": st.tuples(_ANY, st.sampled_from(["string", "int32", "float64"])).map(":".join)})),
    (2, f"{KAFKA}Flatten", _BOTH, _some({}, delimiter=st.sampled_from([".", "_"]))),
    (2, f"{KAFKA}SetSchemaMetadata", _BOTH, _some({"schema.name": st.just("s.Row")}, schema__version=st.just("3"))),
    (1, f"{KAFKA}InsertHeader", ("",), _some({"header": _HEADERS, "value.literal": _LITERALS})),
    (1, f"{KAFKA}DropHeaders", ("",), _some({"headers": _list(_HEADERS)})),
    (1, f"{KAFKA}HeaderFrom", _BOTH, _ANY.flatmap(
        lambda name: st.sampled_from(["copy", "move"]).map(lambda how: {"fields": name, "headers": "h", "operation": how})
    )),
    (1, f"{KAFKA}TimestampRouter", ("",), _some({}, timestamp__format=st.just("yyyyMM"))),
    (1, f"{DEBEZIUM}HeaderToValue", ("",), _some({"headers": st.just("h"), "fields": st.just("added"), "operation": st.just("copy")})),
    (1, f"{DEBEZIUM}ExtractChangedRecordState", ("",), _some({"header.changed.name": st.just("h")})),
    (1, f"{DEBEZIUM}SchemaChangeEventFilter", ("",), _some({"schema.change.event.exclude.list": st.just("DROP")})),
    (1, f"{DEBEZIUM}partitions.PartitionRouting", ("",), _some(
        {"partition.payload.fields": st.sampled_from(["change.id", "source.table", "op"]), "partition.topic.num": st.just("5")}
    )),
)  # fmt: skip
_PREDICATES: Final = st.one_of(
    st.sampled_from([r".*\.customers", r".*\.[a-m][^.]*", ".*heartbeat.*", ".*"]).map(lambda pattern: ("TopicNameMatches", {"pattern": pattern})),
    _HEADERS.map(lambda name: ("HasHeaderKey", {"name": name})),
    st.just(("RecordIsTombstone", {})),
).map(lambda pair: Predicate(f"{KAFKA}predicates.{pair[0]}", pair[1]))


def _transform() -> st.SearchStrategy[Transform]:
    weighted = [kind for kind in _KINDS for _ in range(kind[0])]
    return st.sampled_from(weighted).flatmap(
        lambda kind: st.builds(
            Transform,
            type=st.sampled_from(kind[2]).map(lambda part: kind[1] + part),
            options=kind[3],
            predicate=st.one_of(st.none(), st.none(), _PREDICATES),
            negate=st.booleans(),
        )
    )


def _is_comparable(chain: Sequence[Transform]) -> bool:
    """Whether nothing of differences.md is in it: records that fail here and Kafka drops later (a required field that has no value,
    extracted), and key schemas that have the name of another record's topic."""
    if any("ExtractField" in each.type and each.options["field"] == "after.id" for each in chain[:-1]):
        return False
    last = max((i for i, each in enumerate(chain) if each.type.endswith("ByLogicalTableRouter")), default=0)
    return not any(map(_makes_equal_key_schemas_of_topics, chain[:last]))


def _makes_equal_key_schemas_of_topics(transform: Transform) -> bool:
    """Whether records with equal key schemas may have several topics behind it."""
    routes = "route.by.field" in transform.options or (transform.predicate is not None and "Router" in transform.type)
    return routes or transform.type.endswith(("ValueToKey", "SetSchemaMetadata$Key"))


chains = st.lists(_transform(), min_size=1, max_size=4).filter(_is_comparable)
"""Chains of one to four transforms."""
