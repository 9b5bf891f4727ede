"""Every difference of a snapshot's values that stays, as in `tests.differential.known`.

A snapshot of tailrace gives a value as its stream does, since one decoder reads both. Debezium's snapshot reads some values
in another way than its stream does (`values.ODD` lists them), so that its consumers see a value change that nobody changed.
"""

from __future__ import annotations

import re
from typing import Any

from tests.differential.known import Known, same_float


def _but_for_zeros(debezium: str, tailrace: str) -> bool:
    return debezium == re.sub(r"\.?0*Z$", "Z", tailrace)


def _in_six_digits(debezium: Any, tailrace: Any) -> bool:
    return float(debezium) == float(f"{tailrace:.6g}")


KNOWN: tuple[Known, ...] = (
    Known(
        "Zeros at the end of a TIMESTAMP",
        r"dbz\.d_types\.(dates|not_nulls|zero_dates)",
        r"value\.after\.ts\d?n?",
        when=_but_for_zeros,
    ),
    Known("FLOAT with six digits", r"dbz\.d_types\.floats", r"value\.after\.(f|fu|f24)", when=_in_six_digits),
    Known("The digits of a FLOAT", r"dbz\.d_types\.floats", r"value\.after\.fu", when=same_float),
    Known(
        "The year 0",
        r"dbz\.d_types\.(ints|not_nulls|zero_dates)",
        r"value\.after\.yn?",
        when=lambda debezium, tailrace: (debezium, tailrace) == (2000, 1900),
    ),
    Known("The year 0", r"dbz\.d_types\.zero_dates", r"value\.after\.dt?n"),
    Known(
        "A backslash in sjis",
        r"dbz\.d_types\.charsets",
        r"value\.after\.sj",
        when=lambda debezium, tailrace: (debezium, tailrace) == ("\\", "\uff3c"),
    ),
    Known(
        "Truncation in the middle of a character",
        r"dbz\.d_defaults\.policies",
        r"value\.after\.cut",
        r".*column policies",
    ),
)
