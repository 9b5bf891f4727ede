r"""Parses Java's `.properties` format: `key=value`, `key: value` or `key value`, continued lines and `\uXXXX`.

Java's API documentation describes the format at `java.util.Properties.load(Reader)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANK = " \t\f"
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class PropertiesError(ValueError):
    """A line that does not follow the format; the text names the line."""


def parse(text: str) -> list[tuple[str, str]]:
    """The pairs of a file in order; a key that occurs twice is returned twice.

    Raises:
        PropertiesError: a Unicode escape is malformed.

    """
    return [_pair(line, number) for number, line in _logical_lines(text)]


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    lines = enumerate(re.split(r"\r\n|\r|\n", text), start=1)
    for number, line in lines:
        content = line.lstrip(_BLANK)
        if content in {"", "\\"} or content[0] in "#!":
            continue  # a line with a backslash alone is not continued: Java reads the next line as a new one
        while _continues(content):
            content = content[:-1] + next(lines, (0, ""))[1].lstrip(_BLANK)
        yield number, content


def _continues(line: str) -> bool:
    backslashes = len(line) - len(line.rstrip("\\"))  # an even number is escaped backslashes
    return backslashes % 2 == 1


def _pair(line: str, number: int) -> tuple[str, str]:
    key = _KEY.match(line)
    end = key.end() if key else 0
    separator = _SEPARATOR.match(line, end)
    start = separator.end() if separator else end
    return _unescape(line[:end], number), _unescape(line[start:], number)


def _unescape(text: str, number: int) -> str:
    def character(match: re.Match[str]) -> str:
        code, char = match.groups()
        if code is not None:
            return chr(int(code, 16))
        if char == "u":
            raise PropertiesError(f"line {number}: \\u is not followed by four hexadecimal digits")
        return _CONTROL.get(char, char)

    return _join_surrogates(_ESCAPE.sub(character, text))


def _join_surrogates(text: str) -> str:
    # Java writes a character beyond U+FFFF as two `\u` escapes, the halves of its UTF-16 form
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
