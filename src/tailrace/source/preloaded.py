"""Imports what a task, a planner and Spark's own parts of them need, so that processes that are forked afterwards have it.

What only some jobs need (transforms, registries, snapshots) is left to those. Nothing here may start a thread: a process with
several can't be forked safely. So polars, which starts some, is left to the tasks that need it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

from tailrace.kernels.beginnings import begin

PROGRAMS: Final = (
    "pyspark.sql.streaming.python_streaming_source_runner",
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.lookup_data_sources",
    "pyspark.sql.worker.plan_data_source_read",
    "pyspark.worker",
)
"""The modules that Spark runs, whose own imports are what takes time."""

MODULES: Final = (
    "tailrace.source.delivery",
    "tailrace.source.cdc_source",
    "tailrace.encoding.formats",
    "tailrace.encoding.message_encoder",
    "tailrace.sinks.files",
    "tailrace.sinks.kafka.sink",
)


def preload() -> None:
    """Import it all."""
    for module in (*PROGRAMS, *MODULES):
        import_module(module)
    for program in PROGRAMS:  # a module that is to be run must not be there as an imported one
        del sys.modules[program]
    begin()


preload()
