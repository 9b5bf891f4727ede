"""Text of an expression as tokens, each with its place; what can't be read is refused with the place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

_SPACE: Final = re.compile(r"(?:[ \t\r\f]+|//[^\n]*|/\*.*?\*/|\\\n)", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER: Final = re.compile(
    r"0[xX][0-9a-fA-F_]+[lLiI]?|0[bB][01_]+[lLiI]?|(?:\d[\d_]*)(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?[lLiIgGdDfFn]?"
)
_OPERATORS: Final = (
    ">>>=", "===", "!==", "<=>", "==~", "..<", "<..", "**=", "...", "?.[", "!in",
    "==", "!=", "<=", ">=", "&&", "||", "?.", "?:", "??", "?[", "=~", "..", "++", "--", "->", "=>", "<<", ">>", "**",
    "+=", "-=", "*.", ".@", ".&", "::",
    *"+-*/%<>!=?:.,;()[]{}&|^~@#",
)  # fmt: skip
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_NEAR: Final = 20  # characters that a message shows


class ExpressionError(ValueError):
    """An expression that can't be used; the text says why, and where."""

    def __init__(self, text: str, place: int, why: str) -> None:
        line, column = text.count("\n", 0, place) + 1, place - (text.rfind("\n", 0, place) + 1) + 1
        where = f"column {column}" if "\n" not in text.strip() else f"line {line}, column {column}"
        near = " ".join(text[place : place + _NEAR].split())
        super().__init__(f"{why} ({where}, at {near!r})" if near else f"{why} ({where}, at the end)")


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: `name`, `number`, `text`, `regex` (between slashes), `op` or `end`.
        text: as written; of a text or a regex its content.
        place: index of its first character.
        on_new_line: whether a line ends before it.
        value: of a number.
        bits: of a number, 32 or 64.

    """

    kind: str
    text: str
    place: int
    on_new_line: bool = False
    value: int | float | Decimal | None = None
    bits: int = 32


class Lexer:
    """Reads tokens of Groovy, or of JavaScript."""

    def __init__(self, text: str, *, groovy: bool) -> None:
        self._text = text
        self._groovy = groovy
        self._at = 0

    def tokens(self) -> list[Token]:
        """All tokens; the last one is the `end`.

        Raises:
            ExpressionError: a part is no token.

        """
        found: list[Token] = []
        new_line = False
        while True:
            new_line |= self._skipped()
            if self._at >= len(self._text):
                return [*found, Token("end", "", len(self._text), new_line)]
            found.append(self._next(new_line, operand=not found or _wants_operand(found[-1])))
            new_line = False

    def _skipped(self) -> bool:
        """Skip spaces and comments; whether a line ended among them."""
        begun = self._at
        while self._at < len(self._text):
            space = _SPACE.match(self._text, self._at)
            if space is not None:
                self._at = space.end()
            elif self._text[self._at] == "\n":
                self._at += 1
            else:
                break
        return "\n" in self._text[begun : self._at]

    def _next(self, new_line: bool, *, operand: bool) -> Token:
        place, first = self._at, self._text[self._at]
        if first in "'\"":
            return Token("text", self._quoted(first), place, new_line)
        if first == "`" and not self._groovy:
            return Token("text", self._quoted(first), place, new_line)
        if first == "/" and operand:
            return Token("regex", self._slashy(), place, new_line)
        if first == "$" and self._text.startswith("$/", place):
            raise self._error(place, "a text between $/ and /$ is not supported: write it between slashes or quotes")
        if first.isdigit():
            return self._number(new_line)
        name = _NAME.match(self._text, place)
        if name is not None:
            self._at = name.end()
            return Token("name", name.group(), place, new_line)
        for operator in _OPERATORS:
            if self._text.startswith(operator, place) and self._is_whole(operator, place):
                self._at += len(operator)
                return Token("op", operator, place, new_line)
        raise self._error(place, "unexpected character")

    def _is_whole(self, operator: str, place: int) -> bool:
        behind = self._text[place + len(operator) : place + len(operator) + 1]
        if operator == "!in":
            return self._groovy and not (behind.isalnum() or behind in {"_", "$"})
        if operator in {"=~", "==~", "?:", "..", "..<", "<.."}:
            return self._groovy
        return not (operator == "?." and behind.isdigit())

    def _quoted(self, quote: str) -> str:
        """The text between quotes, or between three of them."""
        place, width = self._at, 3 if self._groovy and self._text.startswith(quote * 3, self._at) else 1
        end, parts, at = quote * width, [], self._at + width
        while not self._text.startswith(end, at):
            if at >= len(self._text) or (width == 1 and quote != "`" and self._text[at] == "\n"):
                raise self._error(place, f"the text has no closing {end}")
            character = self._text[at]
            if character == "$" and self._is_template(quote, at):
                raise self._error(at, "values within a text are not supported: write 'text' + value")
            if character == "\\":
                character, at = self._escaped(at)
            else:
                at += 1
            parts.append(character)
        self._at = at + width
        return "".join(parts)

    def _is_template(self, quote: str, at: int) -> bool:
        behind = self._text[at + 1 : at + 2]
        if quote == "`":
            return behind == "{"
        return self._groovy and quote == '"' and (behind == "{" or behind.isalpha() or behind == "_")

    def _escaped(self, at: int) -> tuple[str, int]:
        """The character of an escape, and where it ends."""
        code = self._text[at + 1 : at + 2]
        if code == "u":
            digits = self._text[at + 2 : at + 6]
            if not re.fullmatch("[0-9a-fA-F]{4}", digits):
                raise self._error(at, "\\u needs four hexadecimal digits")
            return chr(int(digits, 16)), at + 6
        if code in _ESCAPES:
            return _ESCAPES[code], at + 2
        if code in {"\\", "'", '"', "/", "$", "`"}:
            return code, at + 2
        raise self._error(at, "unknown escape: write two backslashes for one")

    def _slashy(self) -> str:
        r"""The expression between slashes; `\/` is a slash, other backslashes stay."""
        place, at, parts = self._at, self._at + 1, []
        while self._text[at : at + 1] != "/":
            if at >= len(self._text) or self._text[at] == "\n":
                raise self._error(place, "the expression between slashes has no closing slash")
            if self._groovy and self._text[at] == "$" and self._is_template('"', at):
                raise self._error(at, "values within an expression are not supported")
            escaped = self._text[at] == "\\" and at + 1 < len(self._text)
            part = self._text[at : at + 2] if escaped else self._text[at]
            parts.append("/" if part == "\\/" else part)
            at += len(part)
        self._at = at + 1
        flags = _NAME.match(self._text, self._at)
        if flags is not None and not self._groovy:
            raise self._error(self._at, "flags of regular expressions are not supported: write toLowerCase() for i")
        return "".join(parts)

    def _number(self, new_line: bool) -> Token:
        place = self._at
        found = _NUMBER.match(self._text, place)
        text = found.group() if found else ""
        if self._text.startswith("..", place + len(text.rstrip("."))) and "." in text:
            text = text[: text.index(".")]
        behind = self._text[place + len(text) : place + len(text) + 1]
        if not text or behind.isalnum() or behind == "_":
            raise self._error(place, "not a number")
        self._at = place + len(text)
        value, bits = self._number_value(place, text.replace("_", ""))
        return Token("number", text, place, new_line, value, bits)

    def _number_value(self, place: int, digits: str) -> tuple[int | float | Decimal, int]:
        is_hexadecimal = digits[:2].lower() in {"0x", "0b"}
        suffix = "" if is_hexadecimal and digits[-1] not in "lLiI" else digits[-1].lower()
        plain = digits[:-1] if suffix.isalpha() and suffix else digits
        if suffix in {"g", "n"} or (suffix.isalpha() and not self._groovy):
            raise self._error(place, f"numbers that end with {digits[-1]} are not supported")
        if re.fullmatch(r"0\d+", plain):
            raise self._error(place, "octal numbers are not supported: leave out the zero in front")
        if not self._groovy:
            value = _of_javascript(plain)
            return value, 32 if isinstance(value, int) else 64  # 64 bits of a whole number mean Java's long, which is an object
        if re.search(r"[.eE]", plain) and not is_hexadecimal:
            return (float(plain), 32 if suffix == "f" else 64) if suffix in {"d", "f"} else (Decimal(plain), 64)
        if suffix in {"d", "f"}:
            return float(plain), 32 if suffix == "f" else 64
        return self._integer(place, int(plain, 0), suffix)

    def _integer(self, place: int, value: int, suffix: str) -> tuple[int, int]:
        if value >= 1 << 63:
            raise self._error(place, "the number is too large")
        return value, 64 if suffix == "l" or (value >= 1 << 31 and suffix != "i") else 32

    def _error(self, place: int, why: str) -> ExpressionError:
        return ExpressionError(self._text, place, why)


def _of_javascript(digits: str) -> int | float:
    """A number, which is always a double; whole ones as integers."""
    value = float(int(digits, 0)) if digits[:2].lower() in {"0x", "0b"} else float(digits)
    return int(value) if value.is_integer() and abs(value) < 1 << 63 else value


def _wants_operand(token: Token) -> bool:
    """Whether a slash behind the token begins an expression between slashes."""
    if token.kind == "name":
        return token.text in {"return", "in", "else"}
    return token.kind == "op" and token.text not in {")", "]", "}"}
