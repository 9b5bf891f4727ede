"""ByLogicalTableRouter: the tables of several shards become one logical table, with one topic.

The new topic follows from the old one by a regular expression. Schemas are named after it, and keys get a field that tells the
shards apart, so that rows of two shards with the same key stay two.

The real one keeps the schemas that it has made by the old schemas alone. Old schemas that are equal though their topics are not
get the name of the first topic there; here each gets its own (differences.md, "The name of a key's schema").

Source: Debezium's reference, "Topic Routing"; comparison with the real one (tests/formats/test_logical_table_router.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from tailrace.changes.envelopes import AFTER, BEFORE, is_envelope
from tailrace.changes.field_paths import keys_are_null
from tailrace.changes.layout_edits import Edits, named_nodes, with_fields
from tailrace.changes.layouts import Constant, Layout, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property, Status
from tailrace.java_replacements import replacing, whole_replaced
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.names import schema_name_adjuster
from tailrace.schema.topic_renames import TopicRename
from tailrace.transforms.spec import Making, Options, Topics, TransformSpec


class ByLogicalTableRouter:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        topic_regex: str,
        topic_replacement: str,
        key_enforce_uniqueness: bool,
        key_field_name: str,
        key_field_regex: str,
        key_field_replacement: str,
        schema_name_adjustment_mode: str,
        logical_table_cache_size: int,  # noqa: ARG002 - of Debezium's caches
    ) -> None:
        if not topic_regex or not topic_replacement:
            raise ValueError("topic.regex and topic.replacement must not be empty")
        replacing(topic_regex, topic_replacement)
        if key_field_regex:
            if not key_field_replacement.strip():
                raise ValueError("key.field.replacement is missing: key.field.regex needs it")
            replacing(key_field_regex, key_field_replacement)
        self._failures = making.failures
        self._route = topic_regex, topic_replacement
        self._field = key_field_name if key_enforce_uniqueness else ""
        self._identifier = key_field_regex, key_field_replacement
        self._adjust = schema_name_adjuster(schema_name_adjustment_mode)
        self._keys = Edits(self._key)
        self._envelopes = Edits(self._envelope)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records under the topic of their logical table, if they have one."""
        topic = whole_replaced(*self._route, records.topic)
        if not topic:
            return (records,)
        if why := self._unfit_key(records.key):
            records = self._failures.without(records, ~keys_are_null(records), why)
            records = replace(records, key=None, has_key=None)
        if is_envelope(records.value.schema) and not isinstance(cast("Struct", records.value.root).field(BEFORE), Struct):
            there = np.ones(len(records), np.bool_) if records.has_value is None else records.has_value
            records = self._failures.without(records, there, f"its value has no field {BEFORE!r} that is a row")
        has_key = ~keys_are_null(records)  # a null that had a schema has none any more
        key = None if records.key is None else self._keys.of(records.key, self._identified(records.topic), topic)
        value = self._envelopes.of(records.value, topic) if is_envelope(records.value.schema) else records.value
        return (replace(records, topic=topic, key=key, value=value, has_key=None if has_key.all() else has_key),)

    def _unfit_key(self, key: Layout | None) -> str:
        """What is wrong with keys of this layout; nothing if they can get the field."""
        if key is None:
            return ""
        if not isinstance(key.root, Struct):
            return "its key is no struct"
        if self._field and key.root.field(self._field) is not None:
            return f"its key has a field {self._field!r} already: set key.field.name, or key.enforce.uniqueness=false"
        return ""

    def _identified(self, topic: str) -> str:
        """What tells a topic from others that have the same new one."""
        found = whole_replaced(*self._identifier, topic) if self._identifier[0] else None
        return topic if found is None else found

    def _key(self, layout: Layout, identifier: str, topic: str) -> Layout:
        root = cast("Struct", layout.root)
        pairs = named_nodes(root)
        if self._field:
            pairs.append((self._field, Constant(Schema(Type.STRING), identifier)))
        return Layout(with_fields(root, pairs, self._named(root.schema, f"{topic}.Key")), layout.lasting)

    def _envelope(self, layout: Layout, topic: str) -> Layout:
        root = cast("Struct", layout.root)
        pairs = [
            (name, self._image(node, topic) if name in {BEFORE, AFTER} and isinstance(node, Struct) else node)
            for name, node in named_nodes(root)
        ]
        return Layout(with_fields(root, pairs, self._named(root.schema, f"{topic}.Envelope")), layout.lasting)

    def _image(self, struct: Struct, topic: str) -> Struct:
        return replace(struct, schema=self._named(struct.schema, f"{topic}.Value"))

    def _named(self, schema: Schema, name: str) -> Schema:
        return schema.with_(name=self._adjust(name), default=NO_DEFAULT)


def _topics(options: Options) -> Topics:
    return TopicRename(options["topic_regex"], options["topic_replacement"])


SPEC = TransformSpec(
    name="io.debezium.transforms.ByLogicalTableRouter",
    doc="The tables of several shards go to the topic of one logical table. Debezium 3.7 calls it "
    "`io.debezium.transforms.ToLogicalTopicRouter`; both names work.",
    properties=(
        Property(name="topic.regex", required=True, doc="A Java regular expression, which the whole topic must match."),
        Property(name="topic.replacement", required=True, doc="The new topic; `$1` is the first group of the expression."),
        Property(
            name="key.enforce.uniqueness",
            kind=Kind.BOOL,
            default=True,
            doc="Whether keys get a field that tells tables of one topic apart.",
        ),
        Property(name="key.field.name", default="__dbz__physicalTableIdentifier", doc="The name of that field."),
        Property(name="key.field.regex", default="", doc="A Java regular expression for the old topic."),
        Property(name="key.field.replacement", default="", doc="The field's value; without both it is the old topic."),
        Property(
            name="schema.name.adjustment.mode",
            kind=Kind.ENUM,
            default="none",
            allowed=("none", "avro", "avro_unicode"),
            doc="How the names of schemas are adjusted.",
        ),
        Property(
            name="logical.destination.cache.size",
            kind=Kind.INT,
            status=Status.IGNORED,
            reason="schemas are made once for each layout",
            doc="What Debezium 3.7's ToLogicalTopicRouter calls the next one.",
        ),
        Property(name="logical.table.cache.size", kind=Kind.INT, default=16, doc="The size of Debezium's caches: no effect."),
    ),
    make=ByLogicalTableRouter,
    topics=_topics,
)
