"""The guides' tables of messages quote what the code says: each quoted piece stands in a string of the source."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDES = ("troubleshooting.md", "kafka-security.md", "kafka.md", "operations.md", "signals.md")
QUOTE = re.compile(r"`([^`]+)`")
FIELD = "\0"  # what a string is filled with
LEAST = 3  # words of a piece that is looked for; shorter ones are names


def texts(tree):
    """All strings, those of f-strings with a mark for each field."""
    parts = set()
    for node in ast.walk(tree):  # the whole comes before its parts
        if isinstance(node, ast.JoinedStr):
            parts |= {id(each) for each in node.values}
            yield "".join(each.value if isinstance(each, ast.Constant) else FIELD for each in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


@cache
def source():
    found = [text for file in (ROOT / "src").rglob("*.py") for text in texts(ast.parse(file.read_text()))]
    return "\n".join(" ".join(re.sub(r"%\d*[sdr]|\{\w*\}", FIELD, text).split()) for text in found)


def quoted():
    for guide in GUIDES:
        for line in (ROOT / "docs" / "guides" / guide).read_text().splitlines():
            cells = line.split("|")
            if len(cells) > 3:
                yield from ((guide, text) for text in QUOTE.findall(cells[1]) if is_message(text))


def is_message(text):
    return max(len(piece.split()) for piece in text.split("...")) >= LEAST and not text.startswith(("tailrace ", "{", "SET "))


@pytest.mark.parametrize(("guide", "text"), sorted(set(quoted())))
def test_what_a_guide_quotes_is_what_the_code_says(guide, text):
    pieces = [piece.strip() for piece in text.split("...") if len(piece.split()) >= LEAST]
    assert pieces, "nothing to look for"
    for piece in pieces:
        assert piece in source(), f"{guide} quotes {piece!r}, which no string of the source has"
