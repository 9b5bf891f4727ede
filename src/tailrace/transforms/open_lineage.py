"""OpenLineage, which leaves records as they are, as Debezium's does: it only tells a lineage server of topics."""

from __future__ import annotations

from tailrace.transforms.activate_tracing_span import Unchanged
from tailrace.transforms.spec import Options, TransformSpec


def _told(_options: Options, _given: Options, _shape: str) -> tuple[Options, list[str]]:
    return {}, ["type has no effect: tailrace tells no lineage server of topics, and records pass as they are"]


SPEC = TransformSpec(
    name="io.debezium.transforms.openlineage.OpenLineage",
    doc="Leaves records as they are, as Debezium's does, with a warning: tailrace tells no lineage server of topics.",
    make=Unchanged,
    settle=_told,
)
