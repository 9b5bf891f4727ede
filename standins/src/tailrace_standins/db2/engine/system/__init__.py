"""The catalogue's views, as far as clients of CDC read them; `VIEWS` has them by platform, schema and name.

Sources: IBM Db2 documentation, "Catalog views", "Administrative views" (LUW); "Catalog tables" (Db2 for z/OS)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from tailrace_standins.db2.engine.catalog import ZOS, Database
from tailrace_standins.db2.engine.system import catalogue, environment, rights, zos
from tailrace_standins.db2.engine.system.catalogue import codepage, constraints, default_text
from tailrace_standins.db2.engine.system.view import View

__all__ = ["View", "codepage", "constraints", "default_text", "views"]

_Views: TypeAlias = Mapping[tuple[str, str], View]
_LUW: Final[_Views] = {**catalogue.VIEWS, **rights.VIEWS, **environment.VIEWS, **zos.VIEWS}
_ZOS: Final[_Views] = {("SYSIBM", "SYSDUMMY1"): catalogue.VIEWS["SYSIBM", "SYSDUMMY1"], **zos.VIEWS, **zos.VIEWS_OF_INDEXES}


def views(database: Database) -> _Views:
    """The views of a database's platform."""
    return _ZOS if database.platform == ZOS else _LUW
