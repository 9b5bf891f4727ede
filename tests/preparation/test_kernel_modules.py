"""Every kernel is known before it is called: its module is listed, and its types are declared."""

import importlib
import re
from pathlib import Path

import tailrace
from tailrace.kernels.dispatchers import ENTRIES
from tailrace.preparation.kernel_modules import entries_of, kernel_modules

SOURCE = Path(tailrace.__file__).parent
IMPORTS_ENTRY = re.compile(r"^from tailrace\.kernels\.compiling import .*\bentry", re.MULTILINE)


def test_every_module_with_kernels_is_listed():
    found = {
        ".".join(("tailrace", *path.relative_to(SOURCE).with_suffix("").parts))
        for path in SOURCE.rglob("*.py")
        if IMPORTS_ENTRY.search(path.read_text())
    }
    assert len(found) > 20
    assert set(kernel_modules()) == found


def test_every_kernel_declares_its_types_and_is_counted():
    for module in kernel_modules():
        importlib.import_module(module)
        entries = [entry for entry in ENTRIES if entry.__module__ == module]
        assert len(entries) == entries_of(module), module
        for entry in entries:
            assert entry.declared is not None, entry.kernel
            assert len(entry.declared) == entry.py_func.__code__.co_argcount, entry.kernel
