"""What all compiled loops are made with: how a function is compiled, and memory as compiled code reads and writes it.

`compiling` has the decorators, `memory` loads and stores by address, `arrays` loads and stores at offsets of arrays of
bytes; `addresses` says where an array lies, and `cache` where compiled code is kept. The loops themselves stand with
what they are for. Nothing here knows a database, an event or a format, and `addresses` and `cache` do without numba.
"""
