"""Shared parts of compiled (numba) code: decorators, and reading and writing memory.

`compiling` has the decorators, `memory` loads and stores by address, `arrays` loads and stores by offset in an array of bytes.
`addresses` gives an array's address, `cache` chooses where compiled code is stored. The compiled loops themselves are in the
packages that use them. Nothing here knows a database, an event or a format; `addresses` and `cache` don't import numba.
"""
