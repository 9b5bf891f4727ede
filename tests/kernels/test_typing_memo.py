"""What numba worked out is used again: for the same machine code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.every_scenario import only_with_all
from tailrace.preparation.kernel_modules import kernel_modules

pytestmark = pytest.mark.long
SOME = ("tailrace.changes.distinct", "tailrace.transforms.java_hashes")
COMPILING = """
import re, sys
from importlib import import_module
from numba.core.types import functions
from tailrace.kernels.dispatchers import ENTRIES
from tailrace.kernels.typing_memo import use_typing_memo

answered = []
if sys.argv[1] == "with":
    use_typing_memo()
    outer = functions.BaseFunction.get_call_type
    def counted(function, context, args, kws):
        before = len(function.__dict__.get("_tailrace_answers", ()))
        made = outer(function, context, args, kws)
        answered.append(len(function.__dict__.get("_tailrace_answers", ())) == before)
        return made
    functions.BaseFunction.get_call_type = counted
for module in sys.argv[2:]:
    import_module(module)
    for entry in [each for each in ENTRIES if each.__module__ == module]:
        entry.compile(entry.declared)
        text = entry.overloads[entry.declared].library.get_asm_str()
        print(entry.kernel, re.sub("0x[0-9a-f]+|[0-9]{8,}", "<address>", text))
print(sum(answered), file=sys.stderr)
"""


def _compiled(how: str, modules: tuple[str, ...], folder: Path) -> tuple[str, int]:
    command = [sys.executable, "-c", COMPILING, how, *modules]
    ran = subprocess.run(
        command, env={**os.environ, "NUMBA_CACHE_DIR": str(folder)}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout, int(ran.stderr.split()[-1])


@pytest.mark.parametrize("modules", [SOME, pytest.param(kernel_modules(), id="all", marks=only_with_all)])
def test_machine_code_is_the_same_with_and_without_it(modules: tuple[str, ...], tmp_path: Path) -> None:
    without, none = _compiled("without", modules, tmp_path / "without")
    with_it, some = _compiled("with", modules, tmp_path / "with")
    assert with_it == without
    assert len(without) > 50_000
    assert none == 0
    assert some > 500
