"""sqlglot's MySQL tokenizer without its keywords, one for each `sql_mode` that changes how a text is cut.

Apart from `tokens`, because a process that meets no statement does without sqlglot's memory.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import TokenError

__all__ = ["TOKENIZERS", "TokenError"]


class _Tokenizer(MySQL.Tokenizer):  # type: ignore[misc]
    KEYWORDS: ClassVar[dict[str, Any]] = {}
    COMMANDS: ClassVar[set[Any]] = set()
    COMMAND_PREFIX_TOKENS: ClassVar[set[Any]] = set()


class _AnsiTokenizer(_Tokenizer):
    IDENTIFIERS: ClassVar[list[str]] = ["`", '"']
    QUOTES: ClassVar[list[str]] = ["'"]


class _PlainTokenizer(_Tokenizer):
    STRING_ESCAPES: ClassVar[list[str]] = ["'", '"']


class _AnsiPlainTokenizer(_AnsiTokenizer):
    STRING_ESCAPES: ClassVar[list[str]] = ["'"]


TOKENIZERS: Final = {
    (False, False): _Tokenizer,
    (True, False): _AnsiTokenizer,
    (False, True): _PlainTokenizer,
    (True, True): _AnsiPlainTokenizer,
}
"""By `ANSI_QUOTES` and `NO_BACKSLASH_ESCAPES`."""
