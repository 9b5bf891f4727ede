"""What Spark shows of an error in one of its Python processes."""

from __future__ import annotations

import os
from typing import Final

_WITH_LOCALS: Final = "SPARK_TRACEBACK_WITH_LOCALS"


def show_no_locals() -> None:
    """Have PySpark show tracebacks without the values of local variables, among which passwords are.

    They would be on Spark's pages and in its logs. PySpark looks at the variable when an error comes, so that any moment before
    is early enough. It is called where code of tailrace begins in a process of Spark's: who has set the variable wants it for
    code of theirs.
    """
    os.environ.pop(_WITH_LOCALS, None)
