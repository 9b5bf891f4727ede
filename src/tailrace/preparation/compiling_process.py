"""A process that compiles the kernels of modules: their names come on standard input, a line each.

Each kernel that is in a file afterwards is a line on standard output, and the end of each module an empty one. What was there
before is not compiled again.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from importlib import import_module

from tailrace.kernels.typing_memo import use_typing_memo


def main() -> None:
    """Compile what is asked for until the input ends."""
    gc.disable()  # a compiler keeps what it makes, and looking for garbage in it takes a fifteenth of the time
    logging.getLogger("tailrace").setLevel(logging.ERROR)  # that a kernel was compiled is what is asked for
    use_typing_memo()
    for line in sys.stdin:
        _compile(line.strip())
        print(flush=True)  # noqa: T201 -- what the parent reads
    os._exit(0)  # taking a compiler apart takes a second, and all that it made is in files


def _compile(module: str) -> None:
    from tailrace.kernels.dispatchers import ENTRIES

    import_module(module)
    for entry in [each for each in ENTRIES if each.__module__ == module]:
        if not entry.is_kept():
            entry.compile(entry.declared)
        print(entry.kernel, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
