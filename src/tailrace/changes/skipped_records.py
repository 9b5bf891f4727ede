"""The count of records that `errors.tolerance=all` dropped."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class SkippedRecords:
    """Records that a transform or a converter failed on, and that were dropped: Kafka Connect's metric `total-records-skipped`.

    Attributes:
        count: since it was last taken.

    """

    count: int = 0

    def taken(self) -> int:
        """The count, which begins anew."""
        count, self.count = self.count, 0
        return count
