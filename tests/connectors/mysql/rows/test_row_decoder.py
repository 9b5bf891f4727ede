"""Events, images and changes; partial images; going on after a stop; damaged events."""

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_events import event, events, image, prefixed

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.rows import RowDecoder, RowError
from tailrace.errors import LogFormatError, StructureError

INT = ColumnPlan(Storage.INT, 4)
TEXT = ColumnPlan(Storage.STRING, 1, Out.TEXT, charset="utf8mb4")
LATIN = ColumnPlan(Storage.STRING, 2, Out.TEXT, charset="latin1")


def i4(n):
    return n.to_bytes(4, "little")


def lists(images):
    return [None if v is None else v.to_arrow().to_pylist() for v in images.vectors]


def test_inserts_updates_and_deletes_become_changes_with_their_images():
    images = events(
        event([image(i4(1), prefixed(b"a")), image(i4(2), prefixed(b"b"))], 2, 30),
        event([image(i4(1), prefixed(b"a")), image(i4(1), None)], 2, 31),
        event([image(i4(2), prefixed(b"b"))], 2, 32),
    ).decode([INT, TEXT])
    assert lists(images) == [[1, 2, 1, 1, 2], ["a", "b", "a", None, "b"]]
    assert bytes(images.op) == b"ccud"
    assert images.before.tolist() == [-1, -1, 2, 4]
    assert images.after.tolist() == [0, 1, 3, -1]
    assert images.event.tolist() == [0, 0, 1, 2]
    assert images.row.tolist() == [0, 1, 0, 0]
    assert (images.events_used, images.offset, images.partial) == (3, 0, False)


def test_events_of_the_first_version_have_no_extra_data():
    images = events(
        event([image(i4(1))], 1, 23), event([image(i4(1)), image(i4(2))], 1, 24), event([image(i4(2))], 1, 25)
    ).decode([INT])
    assert lists(images) == [[1, 1, 2, 2]]
    assert bytes(images.op) == b"cud"


def test_a_column_that_is_not_emitted_is_stepped_over():
    plans = [INT, ColumnPlan(Storage.STRING, 1, emit=False), TEXT]
    images = events(event([image(i4(1), prefixed(b"skip"), prefixed(b"x"))], 3)).decode(plans)
    assert lists(images) == [[1], None, ["x"]]


def test_a_column_without_nulls_has_no_bitmap():
    images = events(event([image(i4(1), None)], 2)).decode([INT, TEXT])
    assert images.vectors[0].valid is None
    assert images.vectors[1].valid is not None


def test_a_missing_value_is_null_and_known_to_be_missing():
    update = event([image(i4(7)), image(None, prefixed(b"z"))], 3, 31, (0b001, 0b110))
    images = events(event([image(i4(7), i4(8), prefixed(b"y"))], 3), update).decode([INT, INT, TEXT])
    assert lists(images) == [[7, 7, None], [8, None, None], ["y", None, "z"]]
    missing = {
        c: np.unpackbits(bits, bitorder="little", count=3).tolist() for c, bits in images.missing.items()
    }
    assert missing == {0: [0, 0, 1], 1: [0, 1, 0], 2: [0, 1, 0]}
    assert images.partial


def test_an_insert_that_names_no_column_is_one_row():
    images = events(event([], 2, 30, (0,)), event([image(i4(1), i4(2))], 2)).decode([INT, INT])
    assert lists(images) == [[None, 1], [None, 2]]
    assert images.row.tolist() == [0, 0]


def test_an_event_without_rows_is_no_change():
    images = events(event([], 1), event([image(i4(1))], 1)).decode([INT])
    assert lists(images) == [[1]]
    assert images.event.tolist() == [1]


def test_a_table_of_hundreds_of_columns():
    plans = [INT, TEXT] * 200
    row = [v for n in range(200) for v in (i4(n), None if n % 3 else prefixed(str(n).encode()))]
    images = events(event([image(*row), image(*row)], 400)).decode(plans)
    assert [v[0] for v in lists(images)[::2]] == list(range(200))
    assert [v[1] for v in lists(images)[1::2]] == [None if n % 3 else str(n) for n in range(200)]


def many(count, each=50):
    bodies = []
    for start in range(0, count, each):
        rows = [
            image(i4(n), None if n % 7 == 0 else prefixed(b"\xe4" * (n % 40), 2))
            for n in range(start, start + each)
        ]
        bodies.append(event(rows, 2))
    return events(*bodies)


def expected(count):
    return [list(range(count)), [None if n % 7 == 0 else "ä" * (n % 40) for n in range(count)]]


def test_room_grows_when_rows_are_smaller_than_reckoned():
    decoder = RowDecoder([INT, LATIN])
    decoder._image_bytes = 5000.0  # far too much
    few = many(5000, 5000)
    assert lists(decoder.decode(few.data, few.body, few.end, few.types)) == expected(5000)


@pytest.mark.parametrize("limit", [2, 3, 64, 1000, 1024, 1025])
def test_a_limit_stops_anywhere_and_the_next_call_goes_on(limit):
    log = many(3000)
    seen = [[], []]
    events_seen, rows = [], []
    for images in RowDecoder([INT, LATIN]).batches(log.data, log.body, log.end, log.types, limit):
        assert images.images <= limit
        for column, part in zip(seen, lists(images), strict=True):
            column.extend(part)
        events_seen += images.event.tolist()
        rows += images.row.tolist()
    assert seen == expected(3000)
    assert events_seen == [n // 50 for n in range(3000)]
    assert rows == [n % 50 for n in range(3000)]


def test_both_images_of_an_update_stay_together():
    log = events(event([image(i4(n)) for n in range(20)], 1, 31))
    batches = list(RowDecoder([INT]).batches(log.data, log.body, log.end, log.types, 3))
    assert [len(b) for b in batches] == [1] * 10
    assert [lists(b)[0] for b in batches] == [[2 * n, 2 * n + 1] for n in range(10)]


def test_results_stay_as_they_were_while_someone_holds_them():
    decoder = RowDecoder([INT, LATIN])
    log = many(2000)
    kept = [decoder.decode(log.data, log.body, log.end, log.types).vectors for _ in range(10)]
    gc.collect()
    assert all([v.to_arrow().to_pylist() for v in vectors] == expected(2000) for vectors in kept)


def test_an_arrow_array_alone_keeps_the_memory():
    decoder = RowDecoder([INT, LATIN])
    log = many(2000)
    arrays = [decoder.decode(log.data, log.body, log.end, log.types).vectors[1].to_arrow() for _ in range(10)]
    assert all(a.to_pylist() == expected(2000)[1] for a in arrays)


def test_memory_is_used_again_once_nobody_holds_it():
    decoder = RowDecoder([INT])
    log = events(event([image(i4(1))], 1))
    places = {
        decoder.decode(log.data, log.body, log.end, log.types).vectors[0].data.ctypes.data for _ in range(20)
    }
    assert len(places) == 1


def test_another_number_of_columns_is_a_structure_error():
    with pytest.raises(StructureError, match="row event 1 has another number of columns"):
        events(event([image(i4(1))], 1), event([image(i4(1), i4(2))], 2)).decode([INT])


@pytest.mark.parametrize("cut", [1, 3, 5, 9, 12, 14, 17])
def test_an_event_that_ends_too_early_names_itself(cut):
    log = events(event([image(i4(1), prefixed(b"abcd"))], 2), event([image(i4(1), prefixed(b"abcd"))], 2))
    log.end[1] -= cut
    with pytest.raises(LogFormatError, match="row event 1"):
        log.decode([INT, TEXT])


def test_an_event_of_another_type_is_refused():
    log = events(event([image(i4(1))], 1))
    log.types[0] = 19
    with pytest.raises(RowError, match="type 19") as raised:
        log.decode([INT])
    assert raised.value.event == 0


PLANS = [
    INT, TEXT, LATIN, ColumnPlan(Storage.DECIMAL, 30 << 8 | 5, Out.UNSCALED), ColumnPlan(Storage.DATETIME2, 3, Out.ISO),
    ColumnPlan(Storage.JSON, 4, Out.TEXT), ColumnPlan(Storage.ENUM, 1, Out.TEXT, labels=(b"a", b"b")),
    ColumnPlan(Storage.SET, 1, Out.TEXT, labels=(b"a", b"b")), ColumnPlan(Storage.GEOMETRY, 4, Out.POINT),
    ColumnPlan(Storage.VECTOR, 4, Out.FLOATS), ColumnPlan(Storage.BIT, 9, Out.BIT_BYTES), ColumnPlan(Storage.YEAR),
    ColumnPlan(Storage.STRING, 4, Out.BASE64, charset="binary", pad=7), ColumnPlan(Storage.TIME2, 6, Out.ISO),
    ColumnPlan(Storage.STRING, 2, Out.TEXT, charset="gbk"), ColumnPlan(Storage.STRING, 2, Out.TEXT, charset="utf16"),
]  # fmt: skip


@given(st.integers(1, len(PLANS)), st.lists(st.binary(max_size=120), min_size=1, max_size=4), st.data())
def test_random_events_never_crash(count, bodies, data):
    types = [data.draw(st.sampled_from([23, 24, 25, 30, 31, 32, 39])) for _ in bodies]
    head = bytes(8) + b"\2\0" + bytes([count])
    width = (count + 7) // 8
    maps = data.draw(st.sampled_from([b"\xff" * 2 * width, b"\x55" * 2 * width]))
    log = events(
        *(
            (head[: 10 if t >= 30 else 8] + head[10:] + maps + b, t)
            for b, t in zip(bodies, types, strict=True)
        )
    )
    order = data.draw(st.permutations(PLANS))
    try:
        log.decode(order[:count])
    except (LogFormatError, StructureError):
        return


@given(st.data())
def test_sound_events_with_bytes_changed_never_crash(data):
    log = many(100)
    raw = log.data.copy()
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    log.data = raw
    try:
        log.decode([INT, LATIN])
    except (LogFormatError, StructureError):
        return
