"""Shared parts of compiled (numba) code: decorators, reading and writing memory, and files with compiled code.

`compiling` has the decorators, `argument_types` what they are given, `memory` loads and stores by address, `arrays` by offset
in an array of bytes. `addresses` gives an array's address. `dispatchers` and `parts` say how functions are compiled; `store`,
`folders`, `stamps` and `baseline` where their code is kept, what it depends on, for which processor it is. The compiled loops
themselves are in the packages that use them. Nothing here knows a database, an event or a format; `addresses`, `folders`,
`stamps`, `locking` and `baseline` don't import numba.
"""

from tailrace.kernels.baseline import use_baseline

use_baseline()  # before anything imports numba
