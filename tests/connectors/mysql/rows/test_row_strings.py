# ruff: noqa: RUF001 -- full-width letters are meant
"""Strings: views, character sets, binary text."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_events import prefixed, values

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.rows import RowDecoder
from tailrace.connectors.mysql.rows.charset_tables import UPPER_HALVES
from tailrace.errors import UnsupportedError

TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=40)), min_size=1, max_size=20)


def plan(out=Out.TEXT, charset="utf8mb4", prefix=2, pad=0):
    return ColumnPlan(Storage.STRING, prefix, out, charset=charset, pad=pad)


@pytest.mark.parametrize("prefix", [1, 2, 3, 4])
@given(texts=TEXTS)
def test_utf8_stays_as_it_is(prefix, texts):
    raw = [None if t is None else prefixed(t.encode(), prefix) for t in texts]
    assert values(plan(prefix=prefix), *raw) == texts


@pytest.mark.parametrize(
    ("charset", "codec"), [("utf16", "utf-16-be"), ("utf16le", "utf-16-le"), ("utf32", "utf-32-be")]
)
@given(texts=TEXTS)
def test_wide_character_sets_become_utf8(charset, codec, texts):
    raw = [None if t is None else prefixed(t.encode(codec), 2) for t in texts]
    assert values(plan(charset=charset), *raw) == texts


def test_half_a_surrogate_pair_becomes_the_replacement_character():
    assert values(plan(charset="utf16"), prefixed(b"\xd8\x00\x00a", 2), prefixed(b"\xdc\x00", 2)) == [
        "\ufffda",
        "\ufffd",
    ]


@pytest.mark.parametrize("charset", sorted(UPPER_HALVES))
def test_every_character_of_a_single_byte_set_comes_out(charset):
    upper = UPPER_HALVES[charset]
    characters = upper if len(upper) == 256 else "".join(map(chr, range(128))) + upper
    singles = [prefixed(bytes([b]), 2) for b in range(256)]
    assert values(plan(charset=charset), *singles) == list(characters)
    assert values(plan(charset=charset), prefixed(bytes(range(256)), 2)) == [characters]


@given(st.lists(st.text(st.characters(codec="latin-1"), max_size=30), min_size=1))
def test_latin1_is_code_page_1252(texts):
    raw = [t.encode("latin-1") for t in texts]
    expected = [
        "".join(
            bytes([b]).decode("cp1252", "replace") if b not in b"\x81\x8d\x8f\x90\x9d" else chr(b) for b in r
        )
        for r in raw
    ]
    assert values(plan(charset="latin1"), *(prefixed(r, 2) for r in raw)) == expected


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [
        ("gbk", "gbk", "中文字符测试，一二三"), ("gb2312", "gb2312", "中文"), ("gb18030", "gb18030", "𠀀中文"),
        ("big5", "big5", "繁體中文測試文字"), ("sjis", "shift_jis", "日本語カタカナ"), ("cp932", "cp932", "①日本語"),
        ("ujis", "euc_jp", "日本語テスト"), ("euckr", "cp949", "한국어 똠방각하"), ("eucjpms", "euc_jp", "日本語"),
    ],
)  # fmt: skip
def test_east_asian_sets_go_through_their_codec(charset, codec, text):
    rows = ["plain", text, None, "a longer plain text", text * 3, ""]
    raw = [None if r is None else prefixed(r.encode(codec), 2) for r in rows]
    assert values(plan(charset=charset), *raw) == rows


def test_an_unknown_character_set_is_refused_by_name():
    with pytest.raises(UnsupportedError, match="klingon"):
        RowDecoder([plan(charset="klingon")])


@given(st.lists(st.binary(max_size=40), min_size=1))
def test_binary_values_in_every_form(rows):
    raw = [prefixed(r, 2) for r in rows]
    assert values(plan(Out.BYTES, "binary"), *raw) == rows
    assert values(plan(Out.BASE64, "binary"), *raw) == [base64.b64encode(r).decode() for r in rows]
    assert values(plan(Out.BASE64_URL, "binary"), *raw) == [
        base64.urlsafe_b64encode(r).decode() for r in rows
    ]
    assert values(plan(Out.HEX, "binary"), *raw) == [r.hex() for r in rows]


@given(st.binary(max_size=20), st.sampled_from([5, 12, 13, 20]))
def test_binary_columns_get_their_trailing_zero_bytes_back(value, length):
    padded = value.ljust(length, b"\0")
    raw = prefixed(value, 1)
    assert values(plan(Out.BYTES, "binary", 1, length), raw) == [padded]
    assert values(plan(Out.BASE64, "binary", 1, length), raw) == [base64.b64encode(padded).decode()]
    assert values(plan(Out.HEX, "binary", 1, length), raw) == [padded.hex()]


def test_a_value_of_megabytes_grows_the_room_for_text():
    value = bytes(range(256)) * 20_000
    assert values(plan(Out.HEX, "binary", 4), prefixed(value, 4), prefixed(b"a", 4)) == [value.hex(), "61"]
    assert values(plan(Out.TEXT, "latin1", 4), prefixed(b"\xe4" * 3_000_000, 4)) == ["ä" * 3_000_000]
