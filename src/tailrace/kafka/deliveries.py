"""Which sends have been delivered whole, while later ones are still under way.

librdkafka says how many messages are left in all, which tells that everything has been delivered, and nothing before that. A
report for each message would have to be polled, and would cost more than producing it. So compiled code counts: librdkafka
calls it for each message that a broker has confirmed, on its own threads, before it forgets the message.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_void_p
from typing import Final

import numpy as np

from tailrace.errors import TailraceError
from tailrace.kafka.librdkafka import Library
from tailrace.kernels.addresses import address_of

_NAME: Final = b"tailrace-deliveries"
_ON_NEW: Final = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t)


class Deliveries:
    """The counts of one instance of librdkafka; keep a reference as long as the instance lives.

    Attributes:
        limit: how many sends can be under way at a time.

    """

    def __init__(self, lib: Library) -> None:
        from tailrace.kafka.produce_kernel import SENDS, count_delivered  # imports a compiler
        from tailrace.kernels.compiling import c_address

        self.limit = SENDS
        self._lib = lib
        self._counts = np.zeros(SENDS, np.int64)
        self._count = c_address(count_delivered)
        self._callback = _ON_NEW(self._installed)

    def given_to(self, conf: int) -> None:
        """Have the instance of a configuration count here."""
        if self._lib.conf_interceptor_add_on_new(conf, _NAME, ctypes.cast(self._callback, c_void_p), None):
            raise TailraceError("librdkafka takes no interceptor")

    def of(self, send: int) -> int:
        """How many messages of a send have arrived."""
        return int(self._counts[send % self.limit])

    def forget(self, send: int) -> None:
        """Begin anew for a later send. None of this one's messages may be under way."""
        self._counts[send % self.limit] = 0

    def _installed(self, client: int, _conf: int, _opaque: int, _text: int, _size: int) -> int:
        """Librdkafka calls this when the instance is made; returns its error code."""
        return int(
            self._lib.interceptor_add_on_acknowledgement(client, _NAME, self._count, address_of(self._counts))
        )
