"""Signatures of functions of the session, aggregates and ranking functions: arguments and results."""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.types import BIGINT, DATETIME, DATETIME2, DATETIMEOFFSET, FLOAT, INT
from tailrace_standins.sqlserver.values import SqlType

_NAME: Final = types.SYSNAME
_VARIANT: Final = types.VARIANT
# Functions that ask the session: their result and the types of their arguments.
SESSION_FUNCTIONS: Final[dict[str, tuple[SqlType, tuple[SqlType, ...], int]]] = {
    "DB_ID": (types.SMALLINT, (_NAME,), 0),
    "DB_NAME": (_NAME, (INT,), 0),
    "ORIGINAL_DB_NAME": (_NAME, (), 0),
    "OBJECT_ID": (INT, (_NAME, _NAME), 1),
    "OBJECT_NAME": (_NAME, (INT, INT), 1),
    "OBJECT_SCHEMA_NAME": (_NAME, (INT, INT), 1),
    "OBJECTPROPERTY": (INT, (INT, _NAME), 2),
    "SCHEMA_ID": (INT, (_NAME,), 0),
    "SCHEMA_NAME": (_NAME, (INT,), 0),
    "SUSER_NAME": (_NAME, (INT,), 0),
    "SUSER_SNAME": (_NAME, (types.binary("varbinary", 85),), 0),
    "SUSER_ID": (INT, (_NAME,), 0),
    "ORIGINAL_LOGIN": (_NAME, (), 0),
    "SYSTEM_USER": (_NAME, (), 0),
    "USER_NAME": (_NAME, (INT,), 0),
    "CURRENT_USER": (_NAME, (), 0),
    "SESSION_USER": (_NAME, (), 0),
    "USER": (_NAME, (), 0),
    "USER_ID": (INT, (_NAME,), 0),
    "HOST_NAME": (_NAME, (), 0),
    "APP_NAME": (_NAME, (), 0),
    "HAS_PERMS_BY_NAME": (INT, (_NAME, _NAME, _NAME, _NAME, _NAME), 3),
    "HAS_DBACCESS": (INT, (_NAME,), 1),
    "IS_SRVROLEMEMBER": (INT, (_NAME, _NAME), 1),
    "IS_MEMBER": (INT, (_NAME,), 1),
    "IS_ROLEMEMBER": (INT, (_NAME, _NAME), 1),
    "SERVERPROPERTY": (_VARIANT, (_NAME,), 1),
    "DATABASEPROPERTYEX": (_VARIANT, (_NAME, _NAME), 2),
    "COLLATIONPROPERTY": (_VARIANT, (_NAME, _NAME), 2),
    "COLUMNPROPERTY": (INT, (INT, _NAME, _NAME), 3),
    "COL_NAME": (_NAME, (INT, INT), 2),
    "COL_LENGTH": (types.SMALLINT, (_NAME, _NAME), 2),
    "TYPE_NAME": (_NAME, (INT,), 1),
    "TYPE_ID": (INT, (_NAME,), 1),
    "INDEX_COL": (_NAME, (_NAME, INT, INT), 3),
    "IDENT_CURRENT": (types.decimal(38, 0, "numeric"), (_NAME,), 1),
    "IDENT_SEED": (types.decimal(38, 0, "numeric"), (_NAME,), 1),
    "IDENT_INCR": (types.decimal(38, 0, "numeric"), (_NAME,), 1),
    "SCOPE_IDENTITY": (types.decimal(38, 0, "numeric"), (), 0),
    "XACT_STATE": (types.SMALLINT, (), 0),
    "ERROR_NUMBER": (INT, (), 0),
    "ERROR_MESSAGE": (types.text("nvarchar", 4000), (), 0),
    "ERROR_SEVERITY": (INT, (), 0),
    "ERROR_STATE": (INT, (), 0),
    "ERROR_LINE": (INT, (), 0),
    "ERROR_PROCEDURE": (_NAME, (), 0),
    "CONNECTIONPROPERTY": (_VARIANT, (_NAME,), 1),
    "FULLTEXTSERVICEPROPERTY": (INT, (_NAME,), 1),
    "CURRENT_TRANSACTION_ID": (BIGINT, (), 0),
    "GETDATE": (DATETIME, (), 0),
    "CURRENT_TIMESTAMP": (DATETIME, (), 0),
    "GETUTCDATE": (DATETIME, (), 0),
    "SYSDATETIME": (DATETIME2, (), 0),
    "SYSUTCDATETIME": (DATETIME2, (), 0),
    "SYSDATETIMEOFFSET": (DATETIMEOFFSET, (), 0),
}
RANKS: Final = {
    "ROW_NUMBER": BIGINT,
    "RANK": BIGINT,
    "DENSE_RANK": BIGINT,
    "NTILE": BIGINT,
    "PERCENT_RANK": FLOAT,
    "CUME_DIST": FLOAT,
}
NEIGHBOURS: Final = frozenset(("LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"))
AGGREGATES: Final = {"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX", "STDEV", "STDEVP", "VAR", "VARP", "STRING_AGG"}
