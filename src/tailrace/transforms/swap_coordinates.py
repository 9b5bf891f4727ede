"""SwapGeometryCoordinates: the first two coordinates of each point of a geometry change places.

Source: Debezium's reference, "Swap Geometry Coordinates"; comparison with the real one (tests/formats/test_geometries.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.geometry_bytes import swapped
from tailrace.transforms.geometry_columns import Geometries
from tailrace.transforms.spec import Making, TransformSpec


class SwapGeometryCoordinates:
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, srids: tuple[str, ...]) -> None:
        try:
            self._srids = frozenset(map(int, srids))
        except ValueError:
            raise ValueError("srids must be whole numbers") from None
        self._geometries = Geometries(self._swapped, making.failures)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with such geometries; of any kind."""
        made = self._geometries.converted(records)
        return (made,) if len(made) else ()

    def _swapped(self, wkb: bytes, srid: int | None) -> bytes:
        return swapped(wkb) if srid in self._srids else wkb


SPEC = TransformSpec(
    name="io.debezium.transforms.SwapGeometryCoordinates",
    doc="Geometries with the first two coordinates in the other order.",
    properties=(
        Property(
            name="srids",
            kind=Kind.LIST,
            default=("4326", "3857", "4269"),
            doc="The numbers of the spatial reference systems whose geometries are changed.",
        ),
    ),
    make=SwapGeometryCoordinates,
)
