"""How SQL Server splits SQL in signals into tokens, in a session with QUOTED_IDENTIFIER ON.

Double quotes and brackets enclose names, single quotes literals; the only escape is a doubled quote. Statements need no
semicolon between them, but within the parentheses around the text only an expression or one query is valid.

Also refused are braces, which the driver interprets (`{call ...}`), and `?`, which is a parameter marker.

Source: https://learn.microsoft.com/sql/t-sql/statements/set-quoted-identifier-transact-sql and
https://learn.microsoft.com/sql/relational-databases/databases/database-identifiers
"""

from __future__ import annotations

import re
from typing import Final

from tailrace.connectors.shared.signal_sql import Dialect

T_SQL: Final = Dialect(
    re.compile(
        r"""(?P<blank>[ \t\n\v\f\r\u00a0]+)
        |(?P<quoted>'(?:[^']|'')*+'|"(?:[^"]|"")*+"|\[(?:[^\]]|\]\])*+\])
        |(?P<word>[\w@\#$]+)
        |(?P<open>\()
        |(?P<close>\))
        |(?P<end>;)
        |--|/\*
        |(?P<sign>[-+*/%=<>!&|^~,.:])""",
        re.DOTALL | re.VERBOSE,
    ),
    (
        *((word,) for word in ("INTO", "INSERT", "UPDATE", "DELETE", "EXEC", "EXECUTE")),
        *(
            (word,) for word in ("OPENQUERY", "OPENROWSET", "OPENDATASOURCE")
        ),  # a rollback does not undo what runs on another server
        *((word,) for word in ("UPDLOCK", "XLOCK", "TABLOCKX", "TABLOCK")),
        *((word,) for word in ("HOLDLOCK", "SERIALIZABLE", "REPEATABLEREAD")),  # locks held to the transaction's end
        ("NEXT", "VALUE", "FOR"),
    ),
)
