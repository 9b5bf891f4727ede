"""Java's properties format."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.config.javaproperties import PropertiesError, parse

TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=30)


def written(text, *, key):
    """As `java.util.Properties.store` writes it."""
    out = []
    for index, char in enumerate(text):
        if char in "\\=:#!":
            out.append("\\" + char)
        elif char == " ":
            out.append("\\ " if key or index == 0 else " ")
        elif char in "\t\n\r\f":
            out.append({"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}[char])
        elif not 0x20 <= ord(char) <= 0x7E:
            units = char.encode("utf-16-be")
            out += [f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)]
        else:
            out.append(char)
    return "".join(out)


@given(st.lists(st.tuples(TEXT.filter(bool), TEXT), max_size=5))
def test_what_java_writes_is_read_back(pairs):
    text = "#comment\n" + "".join(f"{written(k, key=True)}={written(v, key=False)}\n" for k, v in pairs)
    assert parse(text) == pairs


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(PropertiesError):
        assert all(isinstance(name, str) and isinstance(value, str) for name, value in parse(text))


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a=b", [("a", "b")]),
        ("a : b", [("a", "b")]),
        ("a b c", [("a", "b c")]),
        ("  a\t=  b  ", [("a", "b  ")]),
        ("a", [("a", "")]),
        ("a==b", [("a", "=b")]),
        ("=b", [("", "b")]),
        ("! no\n# no\n\n \t\na=1", [("a", "1")]),
        ("a=1,\\\n   2,\\\r\n\t3", [("a", "1,2,3")]),
        ("a=1\\", [("a", "1")]),
        ("\\\n# still a comment\na=1", [("a", "1")]),
        ("a=1\\\\\nb=2", [("a", "1\\"), ("b", "2")]),
        ("# comment goes on \\\na=1", [("a", "1")]),
        ("a\\=b\\:c\\ d=e", [("a=b:c d", "e")]),
        ("a=\\u00e9\\ud83d\\ude00", [("a", "é😀")]),
        ("a=c:\\\\dir\\q", [("a", "c:\\dirq")]),
        ("a=1\na=2", [("a", "1"), ("a", "2")]),
    ],
)
def test_a_line_is_read_as_java_reads_it(text, pairs):
    assert parse(text) == pairs


def test_a_short_unicode_escape_names_its_line():
    with pytest.raises(PropertiesError, match="line 2: "):
        parse("a=1\nb=\\u12")
