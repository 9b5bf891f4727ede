"""Questions that are asked again, and those that a stop does not wait for."""

import threading

import pytest

from tailrace.errors import RetriableError, StoppedError
from tailrace.source.job import Pace
from tailrace.source.retry import in_time, retrying


def asked(answers):
    def ask():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask


def test_a_question_is_asked_until_it_is_answered_and_each_failure_is_told():
    told = []
    answers = [RetriableError("away"), RetriableError("away"), 7]
    assert retrying(Pace(retry_seconds=0.01), asked(answers), told.append) == 7
    assert told == ["away; trying again in 0.01 s"] * 2


def test_it_is_not_asked_more_often_than_the_pace_allows():
    with pytest.raises(RetriableError):
        retrying(Pace(retry_seconds=0.01, max_retries=1), asked([RetriableError("away")] * 3), print)


def test_a_stop_ends_the_waiting():
    with pytest.raises(StoppedError):
        retrying(Pace(retry_seconds=60), asked([RetriableError("away")]), print, lambda: True)


def test_an_answer_in_time_and_an_error_in_time_come_as_they_are():
    assert in_time(lambda: 7, lambda: False) == 7
    with pytest.raises(RetriableError, match="away"):
        in_time(asked([RetriableError("away")]), lambda: False)


def test_a_stop_does_not_wait_for_a_server_that_hangs():
    hangs = threading.Event()
    with pytest.raises(StoppedError, match="no answer in time"):
        in_time(hangs.wait, lambda: True)
    hangs.set()
