"""Spark shows no local variables of tailrace's code with an error, also where `SPARK_TRACEBACK_WITH_LOCALS` asks for them."""

import io
from importlib import import_module

import pytest
from pyspark.util import handle_worker_exception

from tailrace.connectors.registry import SPECS
from tailrace.source.cdc_source import CdcReader
from tailrace.source.delivery import DeliveryReader, DeliverySource

PASSWORD = "hunter2"
FRAMES = import_module(next(iter(SPECS.values())).frames).DefaultSource


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("SPARK_TRACEBACK_WITH_LOCALS", "1")
    for name in ("SPARK_HIDE_TRACEBACK", "SPARK_SIMPLIFIED_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


def told_of(call):
    """What a worker of PySpark tells Java of the error of a call."""
    out, password = io.BytesIO(), PASSWORD
    try:
        call()
    except Exception as error:
        assert password
        handle_worker_exception(error, out)
    return out.getvalue().decode(errors="replace")


def test_pyspark_would_show_them():
    assert PASSWORD in told_of(lambda: {}["missing"])


@pytest.mark.parametrize(
    "call",
    [
        lambda: DeliverySource({}).streamReader(None),
        lambda: next(object.__new__(DeliveryReader).read(None)),
        lambda: FRAMES({}).schema(),
        lambda: FRAMES({}).streamReader(None),
        lambda: object.__new__(CdcReader).read(None),
    ],
    ids=["planner", "task", "schema", "planner of frames", "task of frames"],
)
def test_where_code_of_tailrace_begins_they_are_not_shown(call):
    shown = told_of(call)
    assert "Traceback" in shown
    assert PASSWORD not in shown
