"""Java's `sasl.jaas.config`: one login module with its options, parsed like Kafka's clients do.

    org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="...";

The text holds a password: no message quotes any of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import field, frozen

from tailrace.errors import ConfigError

# The control flags of JAAS.
FLAGS = ("required", "requisite", "sufficient", "optional")
_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|(?P<mark>[=;])"""
    r"""|(?P<word>[^\s"'=;]+)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-3]?[0-7]{1,2}|.)", re.DOTALL)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@frozen
class JaasLogin:
    """A client's login.

    Attributes:
        module: the class, without its package: `PlainLoginModule`.
        options: its options, a password among them.

    """

    module: str
    options: Mapping[str, str] = field(repr=False)


def read_jaas(text: str) -> JaasLogin:
    """The one login of the text.

    Raises:
        ConfigError: it is not such a text; the message begins with the problem and names no property.

    """
    tokens = _tokens(text)
    if not tokens or not _is(";", tokens[-1]):
        raise ConfigError("it must end with a semicolon")
    if sum(_is(";", token) for token in tokens) > 1:
        raise ConfigError("it must hold one login module only")
    if len(tokens) < 3 or tokens[1].lower() not in FLAGS:
        raise ConfigError(f"a login module must be followed by {FLAGS[0]}")
    return JaasLogin(tokens[0].rpartition(".")[2], _options(tokens[2:-1]))


class _Quoted(str):
    """A text that was in quotes: never a symbol."""

    __slots__ = ()


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ConfigError(f"the quotation mark at character {at + 1} is not closed")
        at = match.end()
        if match.lastgroup == "quoted":
            found.append(_Quoted(_ESCAPE.sub(_meant, match.group()[1:-1])))
        elif match.lastgroup != "gap":
            found.append(match.group())
    return found


def _meant(match: re.Match[str]) -> str:
    letter = match.group(1)
    return chr(int(letter, 8)) if letter.isdigit() and set(letter) <= set("01234567") else _LETTERS.get(letter, letter)


def _options(tokens: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for at in range(0, len(tokens), 3):
        name, *rest = tokens[at : at + 3]
        if len(rest) < 2 or not _is("=", rest[0]):
            raise ConfigError(f'option {at // 3 + 1} of the login module must be written name="value"')
        options[name] = str(rest[1])
    return options


def _is(mark: str, token: str) -> bool:
    return token == mark and not isinstance(token, _Quoted)
