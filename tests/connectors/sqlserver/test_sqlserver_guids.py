"""GUIDs as text, from their bytes."""

from __future__ import annotations

import uuid

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.connectors.sqlserver.guids import guid_texts


@given(st.lists(st.none() | st.uuids()), st.integers(0, 5))
def test_guids_are_written_in_capitals(guids: list[uuid.UUID | None], start: int) -> None:
    array = pa.array([None if guid is None else guid.bytes_le for guid in guids], pa.large_binary()).slice(start)
    found = guid_texts([array]).to_arrow().cast(pa.large_string()).to_pylist()
    assert found == [None if guid is None else str(guid).upper() for guid in guids[start:]]


def test_what_has_not_16_bytes_is_no_guid() -> None:
    with pytest.raises(TypeError, match="16 bytes"):
        guid_texts([pa.array([b"short"], pa.large_binary())])
