"""Questions that are asked again."""

import pytest

from tailrace.errors import RetriableError, StoppedError
from tailrace.source.job import Pace
from tailrace.source.retry import retrying


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
