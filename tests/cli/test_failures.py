"""Errors of tasks, as Spark tells them, become the errors that they were."""

import pytest
from pyspark.errors import StreamingQueryException

from tailrace.cli.exit_codes import exit_code_for
from tailrace.cli.failures import first_line, is_stop, unwrapped
from tailrace.errors import ConfigError, PositionLostError, TailraceError

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
