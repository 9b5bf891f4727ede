"""Programs for the loop of `kernel`: constants, fields and messages, built once for a layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.encoding import render_kernel
from tailrace.encoding.avro.kernel import NOT_NULL
from tailrace.encoding.avro.template import AvroProgram
from tailrace.encoding.protobuf import kernel
from tailrace.encoding.protobuf.wire import SIZED, tag
from tailrace.encoding.render import Roles, Template
from tailrace.kernels.addresses import address_of


class ProtobufTemplate(Template):
    """A program under construction. A `slot` is an index into the vectors that are passed to `render`."""

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []
        self._blocks = 0

    def field(self, op: int, slot: int, role: int, before: bytes, mode: int, null: bytes | None, name: str) -> None:
        """Write the value of a vector behind its tag, `before`; where it is null, or the role has no row, `null`.

        If `null` is None such a value is an error, and `name` is in it.
        """
        parameters = self._not_null(name) if null is None else self._keep(null)
        self._step(op, slot, role, *parameters).extend((*_packed(before), mode))

    @contextmanager
    def message(self, number: int, role: int | None, slot: int, needed: str = "") -> Iterator[None]:
        """A context whose fields are a message in the field of that number.

        Nothing is written where the role has no row, or the slot's vector no value; without a role it is always there. If it is
        `needed`, which is its name then, such a null is an error.
        """
        block = self._blocks
        self._blocks += 1
        there = kernel.ALWAYS_THERE if role is None else role
        step = self._step(render_kernel.BLOCK, slot, there, 0, block)
        step.extend((*_packed(tag(number, SIZED)), self._not_null(needed)[1] + 1 if needed else 0))
        yield
        self._step(kernel.END, block, kernel.ALWAYS_THERE)
        step[render_kernel.A] = len(self._steps)

    def protobuf_program(self, lasting: Sequence[int] = ()) -> ProtobufProgram:
        """The finished program; `lasting` as in `Template.program`."""
        steps, text, repeats = self._finished(lasting)
        whole = [[*step, 0, 0, 0][: kernel.PROTOBUF_FIELDS] for step in steps]
        made = np.array(whole, np.int64).reshape(-1, kernel.PROTOBUF_FIELDS)
        return ProtobufProgram(made, text, repeats, self._names, self._blocks)

    def _not_null(self, name: str) -> tuple[int, int]:
        self._names.append(name)
        return NOT_NULL, len(self._names) - 1


class ProtobufProgram(AvroProgram):
    """A finished template; `render` runs it."""

    def __init__(
        self, steps: npt.NDArray[np.int64], text: bytes, repeats: int, names: Sequence[str], blocks: int
    ) -> None:
        super().__init__(steps, text, repeats, names)
        self._blocks = max(blocks, 1)

    def _run(
        self,
        table: npt.NDArray[np.int64],
        roles: Roles,
        mask: npt.NDArray[np.uint8],
        first: int,
        out: npt.NDArray[np.uint8],
        *scratch: Any,
    ) -> int:
        """Write rows from `first` on; see `kernel.write_records`."""
        offsets, repeats, failure = scratch
        blocks = np.zeros((self._blocks, kernel.BLOCK_FIELDS), np.int64)
        place = self._steps, self._text_address, table, roles, mask, first, address_of(out), len(out)
        return int(kernel.write_records(*place, offsets, repeats, blocks, failure))


def _packed(before: bytes) -> tuple[int, int]:
    return int.from_bytes(before, "little"), len(before)
