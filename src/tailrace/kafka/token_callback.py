"""Tokens for a librdkafka instance that is called through ctypes: it requests them from its own thread."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from ctypes import c_char_p, c_void_p

from tailrace.errors import TailraceError
from tailrace.kafka import librdkafka as rd
from tailrace.kafka.librdkafka import Library
from tailrace.kafka.tokens import Token, token_source

_REFRESH = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)


class Tokens:
    """The callback of one instance; keep a reference as long as the instance lives."""

    def __init__(self, lib: Library, source: Callable[[], Token]) -> None:
        self._lib = lib
        self._source = source
        self._first: list[Token] = [source()]  # errors are raised here, before there is an instance
        self._callback = _REFRESH(self._refresh)

    @classmethod
    def of(cls, lib: Library, options: Mapping[str, str]) -> Tokens | None:
        """For a client with these options; None if it needs no tokens. Raises as `client_options` does."""
        source = token_source(options)
        return None if source is None else cls(lib, source)

    def given_to(self, conf: int) -> None:
        """Set the callback in a configuration, whose instance then requests its tokens in the background."""
        self._lib.conf_enable_sasl_queue(conf, 1)
        self._lib.conf_set_oauthbearer_token_refresh_cb(conf, ctypes.cast(self._callback, c_void_p))

    def _refresh(self, handle: int, _config: bytes | None, _opaque: int | None) -> None:
        try:
            token = self._first.pop() if self._first else self._source()
        except TailraceError as error:
            self._lib.oauthbearer_set_token_failure(handle, str(error).encode())
            return
        why = ctypes.create_string_buffer(rd.TEXT_SIZE)
        text = token.text.encode()
        if self._lib.oauthbearer_set_token(handle, text, token.ends_ms, b"", None, 0, why, rd.TEXT_SIZE):
            self._lib.oauthbearer_set_token_failure(handle, why.value)
