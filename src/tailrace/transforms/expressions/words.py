"""What Groovy and JavaScript have here: variables, methods, operators; and what to write instead of what they have not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

VARIABLES: Final = ("value", "key", "topic", "valueSchema", "keySchema", "header")
OF_STRUCTS: Final = frozenset({"schema", "values", "class", "metaClass", "properties", "metaPropertyValues"})
"""Names that in Groovy are properties of the Struct itself, so that a field of that name is not reached by a dot."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a language.

    Attributes:
        name: of the language.
        methods: with the number of their arguments.
        binary: the binding power of binary operators.
        advice: what to write instead of other methods and operators.
        names: what to write instead of other names.
        is_groovy: whether it is Groovy.

    """

    name: str
    methods: Mapping[str, int]
    binary: Mapping[str, int]
    advice: Mapping[str, str]
    names: Mapping[str, str]
    is_groovy: bool


_ORDER: Final = {"<": 7, "<=": 7, ">": 7, ">=": 7, "==": 6, "!=": 6, "&&": 3, "||": 2, "+": 9}
_ARITHMETIC: Final = dict.fromkeys(
    ("-", "*", "/", "%", "**", "&", "|", "^", "~", "<<", ">>", "++", "--", "+=", "-="),
    "calculating is not supported: compare the fields themselves",
)
_NO_PROGRAMS: Final = {
    "=": "nothing can be assigned: == compares",
    "->": "closures are not supported",
    "=>": "functions are not supported",
    "instanceof": "types can't be asked for: compare values",
}
_KEYWORDS: Final = dict.fromkeys(
    ("def", "var", "let", "const", "for", "while", "do", "switch", "try", "function", "class", "import", "throw"),
    "declarations and loops are not supported: write one expression, or if … else",
) | {"new": "objects can't be made", "headers": "write header"}

GROOVY: Final = Words(
    name="Groovy",
    methods=MappingProxyType(
        {
            **dict.fromkeys(
                ("get", "field", "matches", "startsWith", "endsWith", "contains", "containsKey", "equals"), 1
            ),
            **dict.fromkeys(("equalsIgnoreCase",), 1),
            **dict.fromkeys(
                ("toLowerCase", "toUpperCase", "trim", "toString", "size", "length", "isEmpty", "name", "schema"), 0
            ),
        }
    ),
    binary=MappingProxyType({**_ORDER, "in": 7, "!in": 7, "=~": 5, "==~": 5}),
    advice=MappingProxyType(
        {
            **_ARITHMETIC,
            **_NO_PROGRAMS,
            "===": "identity can't be asked for: write ==",
            "!==": "identity can't be asked for: write !=",
            "<=>": "write <, == or >",
            "?[": "write ?.name",
            "??": "write ?:",
            "*.": "write . for each field",
            ".@": "write .",
            "as": "types can't be changed",
            "includes": "Groovy's word is contains",
            "getString": "write get('…')",
        }
    ),
    names=MappingProxyType(
        {**_KEYWORDS, "undefined": "write null", "and": "write &&", "or": "write ||", "not": "write !"}
    ),
    is_groovy=True,
)
JAVASCRIPT: Final = Words(
    name="JavaScript",
    methods=MappingProxyType(
        {
            **dict.fromkeys(("field", "startsWith", "endsWith", "includes", "test", "match"), 1),
            **dict.fromkeys(("toLowerCase", "toUpperCase", "trim", "toString", "name", "schema"), 0),
        }
    ),
    binary=MappingProxyType({**_ORDER, "===": 6, "!==": 6, "??": 2}),
    advice=MappingProxyType(
        {
            **_ARITHMETIC,
            **_NO_PROGRAMS,
            "in": "JavaScript's in is about names: write ['a', 'b'].includes(value)",
            "get": "Debezium's values have no get() in JavaScript: write value.name",
            "matches": "JavaScript's texts have no matches(): write /^…$/.test(text)",
            "contains": "JavaScript's word is includes",
            "equals": "write ===",
            "equalsIgnoreCase": "write toLowerCase() and ===",
            "indexOf": "write includes(…)",
            "size": "write .length",
            "isEmpty": "write .length == 0",
            "length": "length is no method: leave out ()",
        }
    ),
    names=MappingProxyType(
        {
            **_KEYWORDS,
            "return": "JavaScript has no return outside functions: write the value alone",
            "typeof": "types can't be asked for: compare values",
            "and": "write &&",
            "or": "write ||",
            "not": "write !",
            "NaN": "no value equals NaN",
        }
    ),
    is_groovy=False,
)
