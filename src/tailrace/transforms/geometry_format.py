"""GeometryFormatTransformer: geometries as EWKB instead of WKB, or the other way.

`format` is the format that they have, not the one that they get, whatever the documentation says. The real one takes EWKB for
the format of all geometries after the first that is EWKB; here each is looked at by itself.

Source: Debezium's reference, "Geometry Format Transformer"; comparison with the real one (tests/formats/test_geometries.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.geometry_bytes import is_extended, with_srid, without_srid
from tailrace.transforms.geometry_columns import Geometries
from tailrace.transforms.spec import Making, TransformSpec


class GeometryFormatTransformer:
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, format: str) -> None:  # noqa: A002 - the property's name
        self._shortens = format == "ewkb"
        self._geometries = Geometries(self._converted, making.failures)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with such geometries; of any kind."""
        made = self._geometries.converted(records)
        return (made,) if len(made) else ()

    def _converted(self, wkb: bytes, srid: int | None) -> bytes:
        return without_srid(wkb) if self._shortens or is_extended(wkb) else with_srid(wkb, srid)


SPEC = TransformSpec(
    name="io.debezium.transforms.GeometryFormatTransformer",
    doc="Geometries in the other of the formats WKB and EWKB.",
    properties=(
        Property(
            name="format",
            kind=Kind.ENUM,
            default="wkb",
            allowed=("wkb", "ewkb"),
            doc="The format that geometries have: `wkb` becomes EWKB, `ewkb` becomes WKB.",
        ),
    ),
    make=GeometryFormatTransformer,
)
