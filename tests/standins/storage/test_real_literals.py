"""Literals of floats in SQLite."""

import sqlite3

from hypothesis import example, given
from hypothesis import strategies as st

from tailrace_standins.storage.real_literals import real_literal

DATABASE = sqlite3.connect(":memory:", check_same_thread=False)


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
@example(1.2395094230572623e-293)
@example(416921.0817963554)
@example(1.7976931348623157e308)
@example(-2.2250738585072014e-308)
def test_they_are_read_to_the_last_bit(value: float) -> None:
    found = DATABASE.execute(f"SELECT {real_literal(value)}").fetchone()[0]
    assert repr(found) == repr(value)
