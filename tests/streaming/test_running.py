"""How a run on a session ends where another run has taken over, without Spark."""

from types import SimpleNamespace

import pytest

from tailrace.errors import FencedError, ProgressError, RetriableError
from tailrace.streaming import running
from tailrace.streaming.running import run_on


@pytest.mark.parametrize(
    ("failed", "found", "expected"),
    [
        (ProgressError("no progress"), FencedError("taken over"), FencedError),
        (ProgressError("no progress"), None, ProgressError),
        (ProgressError("no progress"), RetriableError("away"), ProgressError),
        (RetriableError("away"), FencedError("taken over"), RetriableError),
    ],
)
def test_progress_that_another_run_has_replaced_is_not_told_as_lost(monkeypatch, tmp_path, failed, found, expected):
    def fail(*_, **__):
        raise failed

    def confirm():
        if found is not None:
            raise found

    monkeypatch.setattr(running.run, "deliver", fail)
    spark = SimpleNamespace(sparkContext=SimpleNamespace(master="local[1]", applicationId="a"))
    look = SimpleNamespace(with_spark=lambda _: None, watching=lambda asked: asked, confirm=confirm)
    job, target = SimpleNamespace(lanes=1, only_snapshot=False), SimpleNamespace(checkpoint=tmp_path)
    with pytest.raises(expected):
        run_on(
            spark, job, target, None, look,
            available_now=True, stop_requested=lambda: False, notice=print, say=print,
        )  # fmt: skip
