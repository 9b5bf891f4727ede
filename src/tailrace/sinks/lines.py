"""Records as lines of JSON: `topic`, `partition`, `key`, `value`, `headers`, `timestamp`, `position`.

Keys, values and header values are already JSON and go in as they are. There is one template per topic, run by the
compiled loop; polars builds only the headers, which most records do not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import orjson
import polars as pl
import pyarrow as pa

from tailrace.changes.records import Binary, Header, Records
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.changes.views import vector_over
from tailrace.encoding.objects import Member, write_object
from tailrace.encoding.render import Op, Program, Template

_KEY, _VALUE, _TIMESTAMP, _POSITION, _HEADERS = range(5)


def render_lines(records: Records) -> Binary:
    """One line per record, with its newline."""
    n = len(records)
    if n == 0:
        return Binary(np.empty(0, np.uint8), np.zeros(1, np.int64))
    vectors = [
        vector_over(records.keys),
        vector_over(records.values),
        Vector(Kind.INT, n, np.ascontiguousarray(records.timestamps, np.int64)),
        vector_over(records.positions),
    ]
    if records.headers:
        vectors.append(from_arrow(header_objects(records.headers)))
    program = _program(records.topic, records.partition or 0, has_headers=bool(records.headers))
    return program.render(vectors, np.arange(n, dtype=np.int32).reshape(1, n))


def header_objects(headers: Sequence[Header]) -> pa.Array:
    """The headers of each record as a JSON object, without those that the record lacks."""
    members = [pl.lit(f",{orjson.dumps(header.name).decode()}:") + pl.col(str(i)) for i, header in enumerate(headers)]
    frame = pl.DataFrame({str(i): pl.Series(h.values.to_arrow(pa.large_string())) for i, h in enumerate(headers)})
    joined = pl.concat_str(members, ignore_nulls=True).str.slice(1)
    text = frame.select(pl.concat_str(pl.lit("{"), joined, pl.lit("}"))).to_series()
    return text.to_arrow(compat_level=pl.CompatLevel.newest())


def _program(topic: str, partition: int, *, has_headers: bool) -> Program:
    template = Template()
    value = template.value
    members: list[Member] = [
        ("topic", partial(template.const, orjson.dumps(topic))),
        ("partition", partial(template.const, b"%d" % partition)),
        ("key", partial(value, Op.RAW, _KEY, 0)),
        ("value", partial(value, Op.RAW, _VALUE, 0)),
        ("headers", partial(value, Op.RAW, _HEADERS, 0) if has_headers else partial(template.const, b"{}")),
        ("timestamp", partial(value, Op.INT, _TIMESTAMP, 0)),
        ("position", partial(value, Op.TEXT, _POSITION, 0)),
    ]
    write_object(template, members)
    template.const(b"\n")
    return template.program()
