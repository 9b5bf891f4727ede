"""How Db2 splits SQL in signals into tokens.

Double quotes enclose names, single quotes literals, before which letters may stand (`X`, `BX`, `G`, `GX`, `UX`, `N`,
`U&`); the only escape is a doubled quote. Statements need no semicolon between them, but within the parentheses around
the text only an expression or one query is valid.

Functions may do things: those of Debezium's guide stop the Capture program, others send messages or call the web. So
the known ones are refused, and a name in double quotes can't be called, which would hide it from the list. A rollback
undoes what others write. Isolation clauses are refused, as with one a read would show what is not committed, or keep
locks.

Source: IBM Db2 documentation, "Tokens", "Constants", "subselect" (isolation-clause), "data-change-table-reference"
"""

from __future__ import annotations

import re
from typing import Final

from tailrace.connectors.shared.signal_sql import Dialect

_BLANK: Final = r"[ \t\n\v\f\r]"
_LEVELS: Final = ("UR", "CS", "RS", "RR")
_BEYOND: Final = (
    *("ASNCDCSERVICES", "ADMIN_CMD"),
    *("HTTPGETBLOB", "HTTPGETCLOB", "HTTPPUTBLOB", "HTTPPUTCLOB", "HTTPPOSTBLOB", "HTTPPOSTCLOB", "HTTPDELETEBLOB"),
    *("HTTPDELETECLOB", "HTTPBLOB", "HTTPCLOB", "HTTPHEAD", "HTTPGETBLOBVERBOSE", "HTTPGETCLOBVERBOSE"),
    *("HTTP_GET", "HTTP_PUT", "HTTP_POST", "HTTP_DELETE", "HTTP_HEAD"),
    *("MQSEND", "MQSENDXML", "MQPUBLISH", "MQPUBLISHXML", "MQRECEIVE", "MQRECEIVEALL", "MQRECEIVECLOB", "MQRECEIVEALLCLOB"),
    *("MQREAD", "MQREADALL", "MQREADCLOB", "MQREADALLCLOB", "MQSUBSCRIBE", "MQUNSUBSCRIBE"),
)

DB2_SQL: Final = Dialect(
    re.compile(
        rf"""(?P<blank>{_BLANK}+)
        |(?P<quoted>'(?:[^']|'')*+'|"(?:[^"]|"")*+"(?!{_BLANK}*\())
        |(?P<word>[\w@\#$]+)
        |(?P<open>\()
        |(?P<close>\))
        |(?P<end>;)
        |--|/\*
        |(?P<sign>[-+*/%=<>!|^¬~,.&])""",
        re.DOTALL | re.VERBOSE,
    ),
    (
        *((word,) for word in ("INTO", "INSERT", "UPDATE", "DELETE", "MERGE", "CALL", "EXECUTE", "EXEC")),
        *((which, "TABLE") for which in ("FINAL", "NEW", "OLD")),  # rows of a data change statement
        *((which, word, "FOR") for which in ("NEXT", "PREVIOUS") for word in ("VALUE",)),
        *((word,) for word in ("NEXTVAL", "PREVVAL")),
        *(("WITH", level) for level in _LEVELS),
        ("KEEP",),  # USE AND KEEP ... LOCKS
        ("WAIT", "FOR"),
        ("USE", "CURRENTLY"),
        ("SKIP", "LOCKED"),
        *((word,) for word in _BEYOND),
    ),
)
