"""The words of a MySQL statement, with their places in the text.

sqlglot's MySQL tokenizer cuts the text. It is run without keywords, so that a word stays a word wherever it
stands: MySQL's keywords are names too in most places, and only the reader of a statement knows what it
expects. Kinds follow from a token's own text. What the tokenizer does not know of MySQL is made good here:
executable comments, names that begin with a digit, `ANSI_QUOTES` and `NO_BACKSLASH_ESCAPES`.

Source: MySQL Reference Manual, "Language Structure" (comments, literals, schema object names).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tailrace.connectors.mysql.comments import CLOSING, COMMENT, OPENING
from tailrace.errors import StructureError
from tailrace.schema.literals import unescaped_literal


class Kind(enum.Enum):
    """What a token is."""

    WORD = enum.auto()  # a keyword or a bare name
    NAME = enum.auto()  # a quoted name
    STRING = enum.auto()
    NUMBER = enum.auto()
    BITS = enum.auto()  # b'01', x'4F', 0b01, 0x4F
    MARK = enum.auto()  # a punctuation mark or an operator's character


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `raw` is its text as it stands, `start` and `end` say where (end is exclusive)."""

    kind: Kind
    raw: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """A word in upper case; the empty text for anything that can't be a keyword."""
        return self.raw.upper() if self.kind is Kind.WORD else ""


@dataclass(frozen=True, slots=True)
class SqlMode:
    """The parts of `sql_mode` that change how a text is cut."""

    ansi_quotes: bool = False
    no_backslash_escapes: bool = False

    @classmethod
    def from_bits(cls, bits: int | None) -> SqlMode:
        """The mode from an event of the log (`MODE_…` in MySQL's system_variables.h); None: the default."""
        known = bits or 0
        return cls(bool(known & 1 << 2), bool(known & 1 << 20))


DEFAULT_MODE = SqlMode()


_QUOTED = r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|`(?:[^`]|``)*`"
_QUOTED_PLAIN = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`"
_COMMENTS = rf"|(?P<open>{OPENING})|(?P<comment>{COMMENT})|(?P<close>{CLOSING})"
_PIECES = re.compile(_QUOTED + _COMMENTS, re.DOTALL)
_PIECES_PLAIN = re.compile(_QUOTED_PLAIN + _COMMENTS, re.DOTALL)
_INNER_QUOTES = re.compile(r"\\.|\"\"|'", re.DOTALL)
_INNER_QUOTES_PLAIN = re.compile(r"\"\"|'")
_SINGLE_QUOTED = {'""': '"', "'": "''"}
_BITS = re.compile(r"0x[0-9A-Fa-f]+|0b[01]+")  # 0X1F and 0xg are names


def tokenize(sql: str, mode: SqlMode = DEFAULT_MODE) -> list[Token]:
    """The tokens of a statement; executable comments count as text, other comments as blanks.

    Raises:
        StructureError: a quote or something like it is left open.

    """
    from tailrace.connectors.mysql.ddl.tokenizers import TOKENIZERS, TokenError  # a large library, for statements only

    text = blank_comments(sql, mode)
    try:
        found = TOKENIZERS[mode.ansi_quotes, mode.no_backslash_escapes]().tokenize(text)
    except TokenError as error:
        raise StructureError(f"can't be cut into words: {str(error).splitlines()[0]}") from error
    return list(_joined(_token(text, t.start, t.end + 1, mode) for t in found))


def blank_comments(sql: str, mode: SqlMode = DEFAULT_MODE) -> str:
    """The text, as long as before, with blanks for comments and for the marks around executable ones."""
    pattern = _PIECES_PLAIN if mode.no_backslash_escapes else _PIECES
    return pattern.sub(_blanked, sql)


def unquoted(raw: str, mode: SqlMode = DEFAULT_MODE) -> str:
    """What is written inside a string literal; of a double-quoted one as if it were single-quoted."""
    inner = raw[1:-1]
    if not raw.startswith('"'):
        return inner
    pattern = _INNER_QUOTES_PLAIN if mode.no_backslash_escapes else _INNER_QUOTES
    return pattern.sub(lambda found: _SINGLE_QUOTED.get(found[0], found[0]), inner)


def unescaped(inner: str, mode: SqlMode = DEFAULT_MODE) -> str:
    """What a string literal stands for, from what is written between its single quotes."""
    if mode.no_backslash_escapes:
        return inner.replace("''", "'")
    return unescaped_literal(inner)


def name_of(token: Token) -> str:
    """The name that a bare or quoted word stands for; a history's text does not say whether `"` quoted names."""
    quote = token.raw[0]
    if quote not in '`"':
        return token.raw
    return token.raw[1:-1].replace(quote + quote, quote)


def _blanked(match: re.Match[str]) -> str:
    return match.group() if match.lastgroup is None else " " * len(match.group())


def _token(text: str, start: int, end: int, mode: SqlMode) -> Token:
    raw = text[start:end]
    return Token(_kind(raw, mode), raw, start, end)


def _kind(raw: str, mode: SqlMode) -> Kind:
    first, two = raw[0], raw[:2].lower()
    if first == "`" or (first == '"' and mode.ansi_quotes):
        return Kind.NAME
    if first in "'\"" or two == "n'":
        return Kind.STRING
    if two in {"x'", "b'"} or _BITS.fullmatch(raw):
        return Kind.BITS
    if two in {"0x", "0b"}:
        return Kind.WORD
    if first.isdigit():
        return Kind.NUMBER
    return Kind.WORD if first.isalpha() or first in "_$" or ord(first) > 127 else Kind.MARK


def _joined(tokens: Iterator[Token]) -> Iterator[Token]:
    """Names such as 1st come in two tokens, 0xyz as well: what touches belongs together."""
    last: Token | None = None
    for token in tokens:
        if last and last.end == token.start and _one_name(last, token):
            last = Token(Kind.WORD, last.raw + token.raw, last.start, token.end)
            continue
        if last:
            yield last
        last = token
    if last:
        yield last


def _one_name(last: Token, token: Token) -> bool:
    bare = last.kind in {Kind.NUMBER, Kind.WORD} or (last.kind is Kind.BITS and "'" not in last.raw)
    return bare and token.kind in {Kind.WORD, Kind.NUMBER} and not last.raw.endswith(".")
