"""Errors of tasks, as Spark tells them, become the errors that they were."""

import contextlib
import importlib
import pkgutil

import pytest
from pyspark.errors import StreamingQueryException

import tailrace
from tailrace.cli.exit_codes import exit_code_for
from tailrace.errors import ConfigError, PositionLostError, TailraceError
from tailrace.streaming.failures import first_line, is_stop, unwrapped

TOLD = """\
[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: Job aborted due to stage failure: Task 0 in \
stage 0.0 failed 1 times, most recent failure: Lost task 0.0 in stage 0.0 (TID 0) (localhost executor driver): \
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/x/tailrace/source/task.py", line 74, in deliver
    return _Delivery(job, turn, sink, reporter).run()
{raised}
 SQLSTATE: 38000 SQLSTATE: XXKST
=== Streaming Query ===
Identifier: [id = 1, runId = 2]
Current Available Offsets: {{DeliveryReader: {{"slice": 1}}}}

Logical Plan:
WriteToMicroBatchDataSource noop"""
WITH_JAVA = """\
Job aborted: Traceback (most recent call last):
  File "x", line 1, in y
{raised}

	at org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:581)
	at java.base/java.lang.Thread.run(Thread.java:840)
"""


def told(raised, text=TOLD):
    return StreamingQueryException(text.format(raised=raised))


def test_an_error_of_tailrace_keeps_type_and_message():
    error = unwrapped(
        told("tailrace.errors.PositionLostError: the log begins at mysql-bin.000007: set another position")
    )
    assert isinstance(error, PositionLostError)
    assert str(error) == "the log begins at mysql-bin.000007: set another position"


@pytest.mark.parametrize("text", [TOLD, WITH_JAVA])
def test_a_message_of_several_lines_is_kept_whole(text):
    error = unwrapped(told("tailrace.errors.ConfigError: 2 problems\n  - this\n  - that", text))
    assert isinstance(error, ConfigError)
    assert str(error) == "2 problems\n  - this\n  - that"


def test_of_chained_errors_the_last_counts():
    raised = (
        "OSError: [Errno 111] refused\n\nThe above exception was the direct cause of the following exception:\n\n"
        'Traceback (most recent call last):\n  File "x", line 1, in y\ntailrace.errors.RetriableError: MySQL is away'
    )
    assert str(unwrapped(told(raised))) == "MySQL is away"
    assert exit_code_for(unwrapped(told(raised))) == 8


def test_an_error_that_is_not_tailraces_is_told_by_name():
    error = unwrapped(told("ModuleNotFoundError: No module named 'x'"))
    assert not isinstance(error, TailraceError)
    assert first_line(error) == "ModuleNotFoundError: No module named 'x'"


def test_an_error_of_spark_itself_stays_and_is_told_in_one_line():
    error = StreamingQueryException("[STREAM_FAILED] no room on the disk\nmore")
    assert unwrapped(error) is error
    assert first_line(error) == "StreamingQueryException: [STREAM_FAILED] no room on the disk"


def test_an_error_that_was_raised_here_stays():
    error = ValueError("tailrace.errors.ConfigError: not from Spark")
    assert unwrapped(error) is error


@pytest.mark.parametrize(
    ("raised", "stop"), [("tailrace.source.task.StoppedError: stopped", True), ("KeyError: 'x'", False)]
)
def test_a_stop_is_told_from_a_failure(raised, stop):
    assert is_stop(told(raised)) is stop


def all_errors():
    """Every class of tailrace's errors, wherever it is defined."""
    for module in pkgutil.walk_packages(tailrace.__path__, "tailrace."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of what is only there with an extra
                importlib.import_module(module.name)
    found, waiting = set(), [TailraceError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        found.add(kind)
    return sorted((kind for kind in found if kind.__module__.startswith("tailrace.")), key=lambda kind: kind.__name__)


def test_every_error_comes_out_of_a_task_as_what_it_was_and_has_a_documented_code():
    kinds = all_errors()
    assert {"DeniedError", "NoDatabaseError", "RowError", "DeliveryError", "NoLeaseError"} <= {
        k.__name__ for k in kinds
    }
    for kind in kinds:
        error = unwrapped(told(f"{kind.__module__}.{kind.__qualname__}: what it says"))
        assert type(error) is kind
        assert str(error) == "what it says"
        if kind is not TailraceError:
            assert exit_code_for(error) == exit_code_for(kind.__new__(kind, "here"))
            assert exit_code_for(error) not in {0, 1}, kind


@pytest.mark.parametrize(
    "name", ["tailrace.errors.GoneError", "tailrace.gone.ConfigError", "tailrace.streaming.failures.OSError"]
)
def test_an_error_that_is_not_known_here_is_still_tailraces(name):
    assert type(unwrapped(told(f"{name}: text"))) is TailraceError
