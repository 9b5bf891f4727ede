"""Text as Kafka Connect's StringConverter writes it: what Java's `toString` makes of a key or a value.

A text stays as it is, a struct becomes `Struct{id=1,name=Ada}`. Null fields are left out, and a null is a null, with a schema or
without. Bytes within structs have no such text (Java shows where they stand in memory), so they are refused.

Source: documentation of `org.apache.kafka.connect.storage.StringConverter`, and comparison with it (tests/formats).
"""

from __future__ import annotations

from typing import cast

import numpy as np
import polars as pl
import pyarrow as pa

from tailrace.changes.layouts import Constant, Layout, Node, Struct
from tailrace.changes.records import Binary
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.encoding.render import leaves
from tailrace.errors import UnsupportedError
from tailrace.schema.connect import Field, Type
from tailrace.transforms.paths import Path, gathered, nulls_of, root_path
