"""How MySQL cuts SQL that comes with signals into pieces, in a session with the `sql_mode` of `snapshots/statements.py`.

There is no ANSI_QUOTES in it (double quotes are literals), and no NO_BACKSLASH_ESCAPES (a backslash takes the next character
its meaning, but not within backticks). The text comes as utf8mb4, whatever introducers such as `_sjis` say of a literal.

Refused besides: `--` also where MySQL takes it for two minus signs; `#`; a backslash outside literals, which takes a sign with
it; and `?`, which stands for a parameter.

Source: MySQL Reference Manual, "String Literals", "Comments", "Schema Object Names".
"""

from __future__ import annotations

import re
from typing import Final

from tailrace.connectors.shared.signalled_sql import Dialect

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
