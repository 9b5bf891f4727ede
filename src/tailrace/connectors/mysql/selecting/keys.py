"""How the columns of a key are read, so that its bytes identify rows (`snapshot/key_bytes.py`).

They are read as they are stored: numbers, times and bits as the number of their bytes, texts as bytes in their own
character set, decimals as unscaled numbers. Selected rows and the log's row images have the same bytes for the same
stored value, so the same plans read both, and give the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.rows.layout import width_of
from tailrace.errors import UnsupportedError

_NUMBERS: Final = frozenset({Storage.INT, Storage.YEAR, Storage.ENUM, Storage.SET, Storage.BIT})
_AS_NUMBERS: Final = frozenset(
    {Storage.FLOAT, Storage.DOUBLE, Storage.DATE, Storage.TIME2, Storage.DATETIME2, Storage.TIMESTAMP2}
)


def raw_key_plan(plan: ColumnPlan) -> ColumnPlan:
    """The plan that shows the same column's values as they are stored.

    Raises:
        UnsupportedError: values of its type can't be told apart so.

    """
    if plan.storage in _NUMBERS:
        return replace(plan, out=Out.INT, emit=True)
    if plan.storage in _AS_NUMBERS:  # impossible dates, too, remain what they are
        return ColumnPlan(Storage.INT, width_of(plan), Out.INT, unsigned=True)
    if plan.storage is Storage.DECIMAL:
        return replace(plan, out=Out.UNSCALED, emit=True)
    if plan.storage is Storage.STRING:
        return ColumnPlan(Storage.STRING, plan.meta, Out.BYTES, pad=plan.pad)
    raise UnsupportedError(
        f"a value that is stored as {plan.storage.name} can't be part of a key: exclude the table "
        "(table.exclude.list), or where it is a time from before MySQL 5.6.4 run ALTER TABLE ... FORCE"
    )


def raw_key_plans(plans: Sequence[ColumnPlan], key: Collection[int]) -> list[ColumnPlan]:
    """Plans for a decoder of the log's row events that shows the key's columns raw, and no others.

    Args:
        plans: of all columns, as the log has them.
        key: indices of the key's columns; their vectors come out at these places.

    Raises:
        UnsupportedError: as from `raw_key_plan`.

    """
    return [raw_key_plan(plan) if i in key else replace(plan, emit=False) for i, plan in enumerate(plans)]
