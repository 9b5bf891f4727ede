# mypy: disable-error-code="misc"
"""How functions are compiled that only compiled functions call: as far as a part of their callers needs it, and no further.

numba makes machine code of every function, and optimizes each with all that it calls. Of a function that Python never calls
nobody needs that: its code is linked into every entry that uses it, and optimized there once more. So a part stays what it is
before that: instructions of LLVM, simplified function by function.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class PartLibrary(JITCodeLibrary):
    """The code of one function and of what it calls, to be linked into its callers."""

    def _optimize_final_module(self) -> None:
        """Left to the entry that it becomes part of."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class PartCompiler(Compiler):
    """numba's compiler, with such a library."""

    def define_pipelines(self) -> Any:
        """The same passes."""
        state = self.state
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.targetctx = state.targetctx.subtarget(get_executable=_not_executable)
        return super().define_pipelines()


def _not_executable(library: Any, description: Any, environment: Any) -> Any:
    """What numba knows the function by. It has no machine code, and no caller."""
    name = description.qualname.rpartition(".")[2]
    return _dynfunc.make_function(description.lookup_module(), name, "part of others", 0, environment, (library,))
