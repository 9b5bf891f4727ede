# mypy: disable-error-code="method-assign, no-any-return"
"""What numba works out again and again while it compiles, worked out once: a tenth of the time.

For each call in a function, and so for each `+`, it tries one implementation after the other until one takes the types of the
arguments. Most are tried in vain, and for the same types the answer is the same. The machine code stays the same to the byte.
"""

from __future__ import annotations

from typing import Any, Final

from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction

_asked: Final = BaseFunction.get_call_type
_defaults: Final[dict[type, dict[str, Any]]] = {}


def use_typing_memo() -> None:
    """For all that this process compiles from now on."""
    BaseFunction.get_call_type = _call_type
    TargetConfig.values = _values


def _call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Kept are answers that hold for each caller.

    What numba compiles itself, with the options of who asks, has another key than the function.
    """
    if kws:
        return _asked(self, context, args, kws)
    answers = self.__dict__.setdefault("_tailrace_answers", {})
    key = (context, *args)
    found = answers.get(key)
    if found is None:
        found = _asked(self, context, args, kws)
        if found is not None and self.get_impl_key(found) is self.typing_key:
            answers[key] = found
    return found


def _values(self: TargetConfig) -> dict[str, Any]:
    """All options: numba compares them as often as it looks for something compiled."""
    kind = type(self)
    if kind not in _defaults:
        _defaults[kind] = {name: option.default for name, option in kind.options.items()}
    return _defaults[kind] | self._values
