"""How SQL Server cuts SQL that comes with signals into pieces, in a session with QUOTED_IDENTIFIER ON.

Double quotes and brackets are names, single quotes literals; there are no escapes but the doubled quote. Statements need no
semicolon between them: but between the parentheses that are put around the text nothing but an expression, or one query, can
stand.

Refused besides: braces, in which the driver has words of its own (`{call ...}`), and `?`, which stands for a parameter.

Source: https://learn.microsoft.com/sql/t-sql/statements/set-quoted-identifier-transact-sql and
https://learn.microsoft.com/sql/relational-databases/databases/database-identifiers
"""

from __future__ import annotations

import re
from typing import Final

from tailrace.connectors.shared.signalled_sql import Dialect

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
        ),  # what is run elsewhere is not rolled back
        *((word,) for word in ("UPDLOCK", "XLOCK", "TABLOCKX", "TABLOCK")),
        *((word,) for word in ("HOLDLOCK", "SERIALIZABLE", "REPEATABLEREAD")),  # to the transaction's end
        ("NEXT", "VALUE", "FOR"),
    ),
)
