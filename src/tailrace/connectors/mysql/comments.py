"""Comments in MySQL's statements, as parts of regular expressions (with `re.DOTALL`).

Two dashes begin a comment only before a blank or a control character, a line's end included, or at the text's end.

Source: MySQL Reference Manual, "Comments"; `MY_LEX_MINUS_OR_COMMENT` in MySQL's sql_lex.cc.
"""

from __future__ import annotations

from typing import Final

OPENING: Final = r"/\*!\d*"
"""Where an executable comment begins, whose text counts."""
CLOSING: Final = r"\*/"
COMMENT: Final = r"/\*(?!!).*?(?:\*/|\Z)|--(?=[\x00-\x20\x7f]|\Z)[^\n]*|#[^\n]*"
"""A comment that is none of the statement's text."""
