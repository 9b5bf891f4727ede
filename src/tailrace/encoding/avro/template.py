"""Programs for the loop of `kernel`: constants, values and the branches of unions, built once for a layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.address_table import address_table
from tailrace.changes.records import Binary
from tailrace.changes.vectors import Vector
from tailrace.encoding import render_kernel
from tailrace.encoding.avro import kernel
from tailrace.encoding.buffers import grow_buffer, keep_buffer, take_buffer
from tailrace.encoding.registered.nulls import NullError
from tailrace.encoding.render import Roles, Template
from tailrace.kernels.addresses import address_of

_VALUE_SIZE: Final = 12  # bytes a value, as a first guess


class AvroTemplate(Template):
    """A program under construction. A `slot` is an index into the vectors that are passed to `render`."""

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []

    def datum(self, op: int, slot: int, role: int, branch: int, null: bytes | None, name: str) -> None:
        """Write the value of a vector behind its branch; where it is null, or the role has no row, `null`.

        If `null` is None such a value is an error, and `name` is in it.
        """
        parameters = self._not_null(name) if null is None else self._keep(null)
        self._step(op, slot, role, *parameters).append(branch)

    @contextmanager
    def optional(self, role: int, slot: int, branch: int, name: str) -> Iterator[None]:
        """A context of which only the branch of null is written where the role has no row, or the slot's vector no value."""
        step = self._step(render_kernel.BLOCK, slot, role, *self._not_null(name))
        step.append(branch)
        yield
        self._end_constant()
        step[render_kernel.A] = len(self._steps)

    def avro_program(self, lasting: Sequence[int] = ()) -> AvroProgram:
        """The finished program; `lasting` as in `Template.program`."""
        steps, text, repeats = self._finished(lasting)
        whole = [[*step, kernel.NO_UNION][: kernel.AVRO_FIELDS] for step in steps]
        return AvroProgram(np.array(whole, np.int64).reshape(-1, kernel.AVRO_FIELDS), text, repeats, self._names)

    def _not_null(self, name: str) -> tuple[int, int]:
        self._names.append(name)
        return kernel.NOT_NULL, len(self._names) - 1


class AvroProgram:
    """A finished template; `render` runs it."""

    def __init__(self, steps: npt.NDArray[np.int64], text: bytes, repeats: int, names: Sequence[str]) -> None:
        self._steps = steps
        self._text = np.frombuffer(text, np.uint8)
        self._text_address = address_of(self._text)
        self._repeats = max(repeats, 1)
        self._names = names
        self._bytes_a_row = 64 + int(steps[:, render_kernel.LENGTH].sum())

    def render(self, vectors: Sequence[Vector], roles: Roles, live: npt.NDArray[np.bool_] | None = None) -> Binary:
        """One datum for each row.

        Args:
            vectors: by slot.
            roles: shape (number of roles, n); rows of the vectors, or -1.
            live: rows to write, shape (n,); the others become null. None: all.

        Raises:
            NullError: a value is null that must not be.

        """
        n = roles.shape[1]
        table, kept = address_table(vectors)
        offsets, failure = np.zeros(n + 1, np.int64), np.zeros(2, np.int64)
        mask = np.ones(n, np.uint8) if live is None else live.view(np.uint8)
        repeats = np.empty((self._repeats, render_kernel.REPEAT_FIELDS), np.int64)
        out = take_buffer(n * (self._bytes_a_row + _VALUE_SIZE * len(vectors)) + 4096)
        done = 0
        while True:
            done = self._run(table, roles, mask, done, out, offsets, repeats, failure)
            if done < 0:
                raise NullError(int(failure[0]), self._names[failure[1]])
            if done == n:
                break
            out = grow_buffer(out, int(offsets[done]), n, done)
        del kept  # the table has addresses in it: until here its vectors must stay alive
        keep_buffer(int(offsets[n]))
        return Binary(out[: offsets[n]], offsets, live)

    def _run(
        self,
        table: npt.NDArray[np.int64],
        roles: Roles,
        mask: npt.NDArray[np.uint8],
        first: int,
        out: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64],
        repeats: npt.NDArray[np.int64],
        failure: npt.NDArray[np.int64],
    ) -> int:
        """Write rows from `first` on; see `kernel.write_records`."""
        address = address_of(out)
        place = self._steps, self._text_address, table, roles, mask, first, address, len(out)
        return int(kernel.write_records(*place, offsets, repeats, failure))
