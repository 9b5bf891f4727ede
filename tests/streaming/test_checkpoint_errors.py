"""What Spark says of its checkpoint becomes one sentence with the folder and the remedy, and an exit code."""

import errno
import itertools
import json
import os
import shutil
import subprocess
from contextlib import closing, suppress

import pytest
from pyspark.errors import StreamingQueryException

from support.counting_log import counting_job, grow
from support.every_scenario import EVERY
from tailrace.cli.exit_codes import exit_code_for
from tailrace.errors import ConfigError, FencedError, ProgressError, RetriableError
from tailrace.link import Link
from tailrace.source import run
from tailrace.source.job import Pace
from tailrace.streaming import checkpoint_errors as module
from tailrace.streaming.checkpoint_errors import checkpoint_errors, damaged_file, explain

OFFSET = 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"slice":2,"floor":"","until":null}'
FAILED = (
    "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: {} SQLSTATE: XXKST\n=== Streaming Query ==="
)


@pytest.fixture
def folder(tmp_path):
    """A checkpoint as Spark leaves it."""
    checkpoint = tmp_path / "checkpoint"
    for log, text in (("offsets", OFFSET), ("commits", 'v1\n{"nextBatchWatermarkMs":0}')):
        (checkpoint / log).mkdir(parents=True)
        for number in (2, 10, 9):
            (checkpoint / log / str(number)).write_text(text)
        (checkpoint / log / ".10.crc").write_bytes(b"\0")
    (checkpoint / "metadata").write_text('{"id":"1"}')
    return checkpoint


def said(text):
    return StreamingQueryException(FAILED.format(text))


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (
            "[CONCURRENT_STREAM_LOG_UPDATE] Concurrent update to the log. Multiple streaming jobs detected for 0.",
            FencedError,
            "another run writes to",
        ),
        ("java.io.IOException: No space left on device", RetriableError, "no space is left on the disk of"),
        (
            "Failed to read log file file:{}/offsets/1. [INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION] UnsupportedLogVersion.",
            ProgressError,
            "newer version of Spark",
        ),
        (
            "assertion failed: There are [2] sources in the checkpoint offsets and now there are [1] sources requested",
            ProgressError,
            "another query",
        ),
        ("Failed to read log file file:{}/offsets/1. Incomplete log file", ProgressError, "cut off"),
        ("{}/offsets/.2.9e25.tmp (Read-only file system)", ConfigError, "can't write to"),
        ("mkdir of file:{} failed", ConfigError, "can't write to"),
        ("Destination exists and is not a directory: {}", ConfigError, "can't write to"),
    ],
)
def test_each_has_its_error_the_folder_and_no_java(folder, text, kind, words):
    error = explain(said(text.format(folder)), folder)
    assert isinstance(error, kind)
    assert words in str(error)
    assert str(folder) in str(error)
    assert not any(noise in str(error) for noise in ("java", "SQLSTATE", "STREAM", "\n"))


def test_the_file_that_is_cut_off_is_named_where_spark_only_says_how_json_ends(folder):
    (folder / "commits" / "10").write_text('v1\n{"nextBatch')
    error = explain(said("Unexpected end-of-input in field name\n at [Source: REDACTED; line: 1, column: 13]"), folder)
    assert isinstance(error, ProgressError)
    assert "commits/10 is cut off" in str(error)
    assert "remove the folder" in str(error)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("offsets/10", ""),
        ("offsets/10", "v1"),
        ("offsets/10", "\0\0\0"),
        ("offsets/10", OFFSET[:-3]),
        ("commits/10", "v1\n{"),
        ("metadata", ""),
        ("metadata", "{}"),
        ("metadata", None),
        ("offsets/10", None),
    ],
)
def test_the_newest_files_and_the_metadata_are_looked_at(folder, name, text):
    assert damaged_file(folder) is None
    (folder / "offsets" / "9").write_text("")  # nobody reads it any more
    assert damaged_file(folder) is None
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)
    assert damaged_file(folder) == folder / name


def test_a_folder_that_is_empty_or_missing_is_not_damaged(tmp_path):
    assert damaged_file(tmp_path) is None
    assert damaged_file(tmp_path / "none") is None


def test_other_errors_stay_as_they_are(folder):
    for error in (
        said("[SOME_CLASS] something else"),
        said("tailrace.errors.PositionLostError: the log begins at 7"),
        said("/elsewhere/x (Permission denied)"),
        OSError(errno.ENOSPC, "No space left on device"),
        RetriableError("No space left on device"),
    ):
        assert explain(error, folder) is None
        with pytest.raises(type(error)) as raised, checkpoint_errors(folder):
            raise error
        assert raised.value is error


def test_the_disk_that_is_full_is_named(folder, monkeypatch):
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: "/spark-local")
    monkeypatch.setattr(module, "_free", lambda place: 0 if str(place) == "/spark-local" else 1 << 40)
    assert "disk of /spark-local:" in str(explain(said("No space left on device"), folder))


def of_spark(error, folder):
    explained = explain(error, folder)
    assert explained is not None, str(error)
    return explained


@pytest.fixture
def delivery(spark, tmp_path):
    """Delivers what a log has more; gives what Spark's error means, None without one."""
    job = counting_job(tmp_path, 70, pace=Pace(retry_seconds=0.01, max_retries=0))

    def deliver(checkpoint, changes):
        grow(tmp_path / "log", changes)
        with closing(Link(lambda *_: None)) as link:
            try:
                run.deliver(
                    spark,
                    job,
                    str(checkpoint),
                    link,
                    available_now=True,
                    stop_requested=lambda: False,
                    notice=lambda _: None,
                )
            except Exception as error:
                return of_spark(error, checkpoint)
        return None

    return deliver


DAMAGES = (  # a log or file, what it says then, words of the error, and its exit code
    ("offsets", "", "offsets/", 6),
    ("commits", "v99\n{}", "newer version of Spark", 6),
    ("metadata", "", "metadata", 6),
)
MORE_DAMAGES = (
    ("offsets", "v1\n{", "offsets/", 6),
    ("commits", "v1\n{", "commits/", 6),
    ("offsets", None, "offsets/", 6),
)


@pytest.mark.spark
@pytest.mark.slow
def test_spark_itself_on_damaged_checkpoints(delivery, tmp_path):
    checkpoint, changes = tmp_path / "checkpoint", 70

    def newest(log):
        return max((path for path in (checkpoint / log).glob("[0-9]*")), key=lambda path: int(path.name))

    def write(path, text):
        path.write_text(text)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)

    assert delivery(checkpoint, changes) is None
    for log, text, words, code in (*DAMAGES, *MORE_DAMAGES) if EVERY else DAMAGES:
        changes += 70
        saved = tmp_path / f"saved-{changes}"
        shutil.copytree(checkpoint, saved)
        path = checkpoint / "metadata" if log == "metadata" else newest(log)
        path.unlink() if text is None else write(path, text)
        error = delivery(checkpoint, changes)
        assert words in str(error)
        assert (exit_code_for(error), str(checkpoint) in str(error)) == (code, True)
        shutil.rmtree(checkpoint)  # as the message says
        assert delivery(checkpoint, changes) is None


@pytest.fixture
def small_disk(tmp_path):
    """A disk with room for little."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder], check=False).returncode
    ):
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(folder):
    with (folder / "fill").open("wb", buffering=0) as file, suppress(OSError):
        for _ in itertools.count():
            file.write(b"x" * 512)


@pytest.mark.spark
@pytest.mark.slow
def test_spark_itself_on_a_disk_that_is_full_and_goes_on_when_there_is_room(delivery, small_disk, tmp_path):
    checkpoint = small_disk / "checkpoint"
    assert delivery(checkpoint, 70) is None
    fill(small_disk)
    error = delivery(checkpoint, 140)
    assert f"no space is left on the disk of {checkpoint}" in str(error)
    assert exit_code_for(error) == 8
    (small_disk / "fill").unlink()
    assert delivery(checkpoint, 210) is None
    keys = [json.loads(line)["key"]["id"] for file in tmp_path.glob("out/count.*/*.jsonl") for line in file.open()]
    assert sorted(keys) == list(range(210))
