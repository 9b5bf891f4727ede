"""`drop.tombstones` and `delete.handling.mode`: how deletes were unwrapped before Debezium 3, which ignores both."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property
from tailrace.schema.event_shapes import CURRENT
from tailrace.transforms.spec import Options

MODE: Final = "delete_tombstone_handling_mode"
MODES: Final = ("drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone")
_OLD: Final = ("drop_tombstones", "delete_handling_mode")
OLD_PROPERTIES: Final = (
    Property(
        name="drop.tombstones",
        kind=Kind.BOOL,
        default=True,
        doc="Before Debezium 3: whether tombstones are dropped. It counts with `tailrace.event.shape` 1.4 and 2.1 only.",
    ),
    Property(
        name="delete.handling.mode",
        kind=Kind.ENUM,
        default="drop",
        allowed=("drop", "rewrite", "none"),
        doc="Before Debezium 3: what becomes of deletes. It counts with `tailrace.event.shape` 1.4 and 2.1 only.",
    ),
)
_MEANING: Final = {
    ("drop", True): "drop",
    ("none", True): "tombstone",
    ("rewrite", True): "rewrite",
    ("rewrite", False): "rewrite-with-tombstone",
    ("drop", False): "tombstone",  # the delete went and its tombstone stayed: one null value either way
    ("none", False): "tombstone",  # the delete became a null value, and its tombstone was another one
}


def settled(options: Options, given: Options, shape: str) -> tuple[Options, list[str]]:
    """The options without the old ones, and what to warn of."""
    kept = {name: value for name, value in options.items() if name not in _OLD}
    old = {name: given[name] for name in _OLD if name in given}
    if not old:
        return kept, []
    meant = _MEANING[options["delete_handling_mode"], options["drop_tombstones"]]
    names = " and ".join(name.replace("_", ".") for name in old)
    if MODE in given:
        return kept, [f"{names} {'has' if len(old) == 1 else 'have'} no effect beside delete.tombstone.handling.mode"]
    if shape != CURRENT:
        return kept | {MODE: meant}, []
    mode, verb = kept[MODE], "is" if len(old) == 1 else "are"
    if mode == meant:
        return kept, [f"{names} {verb} ignored, as in Debezium 3, which does the same without"]
    warning = (
        f"{names} {verb} ignored, as in Debezium 3: deletes are handled as delete.tombstone.handling.mode={mode} says; what "
        f"it meant before is delete.tombstone.handling.mode={meant}"
    )
    return kept, [warning]


