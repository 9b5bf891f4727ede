"""What a configuration says of transforms and predicates; plain data, which is sent to the executors.

`tailrace.transforms` makes the transforms of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory, frozen


@frozen(kw_only=True)
class PredicateSettings:
    """A predicate of Kafka Connect, which decides whether a transform applies to a record.

    Attributes:
        alias: its name in `predicates`.
        type: its Java class.
        options: its properties, as arguments of what makes it.

    """

    alias: str
    type: str
    options: Mapping[str, Any] = Factory(dict)


@frozen(kw_only=True)
class TransformSettings:
    """One transform.

    Attributes:
        alias: its name in `transforms`.
        type: its Java class.
        options: its properties, as arguments of what makes it.
        predicate: the records that it is for; None: all.
        negate: it is for the records that the predicate is not true of.

    """

    alias: str
    type: str
    options: Mapping[str, Any] = Factory(dict)
    predicate: PredicateSettings | None = None
    negate: bool = False
