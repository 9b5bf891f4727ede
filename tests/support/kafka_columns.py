"""Makes records from lists, for tests of the producer."""

import numpy as np

from tailrace.changes.records import Binary, Header, Records


def binary(texts):
    """A column of byte strings; None is null."""
    valid = np.array([text is not None for text in texts])
    sizes = [len(text or b"") for text in texts]
    data = np.frombuffer(b"".join(text or b"" for text in texts), np.uint8)
    return Binary(data, np.cumsum([0, *sizes]), None if valid.all() else valid)


def records(topic, keys, values, *, timestamps=None, headers=(), partition=None):
    """Records at the positions `p0`, `p1`, …."""
    n = len(keys)
    return Records(
        topic,
        binary(keys),
        binary(values),
        np.array(timestamps if timestamps is not None else [1_700_000_000_000 + i for i in range(n)]),
        binary([b"p%d" % i for i in range(n)]),
        np.arange(n),
        headers=tuple(Header(name, binary(texts)) for name, texts in headers),
        partition=partition,
    )
