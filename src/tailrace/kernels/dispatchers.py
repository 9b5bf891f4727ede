# mypy: disable-error-code="misc, attr-defined"
"""numba's dispatchers, with types that are known before the first call.

numba compiles a function anew for each combination of types that it is called with. There are more than one would think: each
constant is one, and so is an array that can only be read. An `Entry` is compiled for the types that it declares, and takes
what converts to them. A `Part`, which only compiled functions call, is compiled for types of arguments, not for their values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numba.core import sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from tailrace.kernels.parts import PartCompiler
from tailrace.kernels.store import Store

ENTRIES: Final[list[Entry]] = []
"""All that are imported."""


class Entry(CPUDispatcher):
    """A function that Python calls. Its code is kept in files; see `store`."""

    def __init__(self, function: Callable[..., Any], declared: tuple[Any, ...] | None, options: dict[str, Any]) -> None:
        """`declared`: the types of its arguments; None: it is compiled for those it is called with."""
        super().__init__(py_func=function, targetoptions=options)
        self.declared = declared
        self._cache = Store(function.__module__, function.__qualname__)
        ENTRIES.append(self)

    @property
    def kernel(self) -> str:
        """Its name, with the module's."""
        return str(self._cache.kernel)

    def is_kept(self) -> bool:
        """Whether the code for the declared types is in a file, which is then one that is in use."""
        return bool(self._cache.renew(self.declared, self.targetctx))

    def address(self) -> int:
        """Where a C library calls it, without Python: the declared types are the arguments. It stays there."""
        self.compile(self.declared)
        made = self.overloads[self.declared]
        return int(made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name))

    def compile(self, sig: Any) -> Any:
        """Load or compile for these types; see `Store.compiling`."""
        args, _ = sigutils.normalize_signature(sig)
        if args in self.overloads:
            return self.overloads[args].entry_point
        with (
            global_compiler_lock,
            self._cache.compiling(args, self.targetctx),
        ):  # in this order, as a thread may have both
            return super().compile(args)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What compiled callers call."""
        if kws or not self._takes(args):
            return super().get_call_template(args, kws)
        template, signature, _, _ = super().get_call_template(self.declared, {})
        return template, signature, args, {}

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Numba asks for this if it has no code for the types of a call."""
        if not kws and self._takes([self.typeof_pyval(value) for value in args]):
            return self.compile(self.declared)
        return super()._compile_for_args(*args, **kws)

    def _takes(self, args: Any) -> bool:
        """Whether values of these types can be given as the declared ones without loss."""
        if self.declared is None or len(args) != len(self.declared):
            return False
        return all(_converts(self.typingctx, given, to) for given, to in zip(args, self.declared, strict=True))


class Part(CPUDispatcher):
    """A function that only compiled functions call; see `parts`."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(py_func=function, targetoptions=options, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What compiled callers call: the same for all constants."""
        return super().get_call_template(tuple(types.unliteral(each) for each in args), kws)


def _converts(context: Any, given: Any, to: Any) -> bool:
    if given == to:
        return True
    found = context.can_convert(given, to)
    return found is not None and found.name in {"exact", "promote", "safe"}
