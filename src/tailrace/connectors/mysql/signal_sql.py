"""How MySQL tokenizes SQL that comes with signals, in a session with the `sql_mode` of `snapshots/statements.py`.

It has no ANSI_QUOTES (double quotes are literals), and no NO_BACKSLASH_ESCAPES (a backslash escapes the next character,
but not within backticks). The text is utf8mb4, whatever introducers such as `_sjis` say about a literal.

Also refused: `--` even where MySQL reads two minus signs; `#`; a backslash outside literals, which swallows the next
character; and `?`, which is a parameter.

Source: MySQL Reference Manual, "String Literals", "Comments", "Schema Object Names".
"""

from __future__ import annotations

import re
from typing import Final

from tailrace.connectors.shared.signal_sql import Dialect

MYSQL: Final = Dialect(
    re.compile(
        r"""(?P<blank>[ \t\n\v\f\r]+)
        |(?P<quoted>'(?:[^'\\]|\\.|'')*+'|"(?:[^"\\]|\\.|"")*+"|`(?:[^`]|``)*+`)
        |(?P<word>[0-9A-Za-z_$\u0080-\U0010ffff]+)
        |(?P<open>\()
        |(?P<close>\))
        |(?P<end>;)
        |--|/\*
        |(?P<sign>[-+*/%=<>!&|^~,.:@{}])""",
        re.DOTALL | re.VERBOSE,
    ),
    (("INTO",), ("UPDATE",), ("DELETE",), ("FOR", "SHARE"), ("LOCK", "IN")),
)
