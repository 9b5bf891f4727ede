"""A checkpoint on a file system that only Hadoop knows: looked into, and guarding against lost progress."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from support.counting_log import counting_job, delivered, grow
from tailrace.errors import ConfigError, ProgressError
from tailrace.link import Link
from tailrace.source import run
from tailrace.source.checkpoint_folder import HadoopFolder, folder_of, is_uri, local_path, qualified
from tailrace.streaming.checkpoint_errors import damaged_file, explain


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("/data/c", Path("/data/c")), ("data/c", Path("data/c")), ("file:/data/c", Path("/data/c")),
        ("file:///data/c d", Path("/data/c d")), ("s3a://bucket/c", None), ("hdfs:/c", None), ("dbfs:/c", None),
    ],
)  # fmt: skip
def test_a_place_is_on_this_machine_or_not(place, found):
    assert local_path(place) == found
    assert is_uri(place) is (":" in place)


@pytest.fixture
def elsewhere(spark, tmp_path):
    """A folder that has another name for Hadoop than for this machine."""
    (tmp_path / "mounted").mkdir()
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    name = tmp_path.name.replace("_", "-")
    configuration.set(f"fs.viewfs.mounttable.{name}.link./data", f"file://{tmp_path}/mounted")
    return f"viewfs://{name}/data/checkpoint"


@pytest.mark.spark
@pytest.mark.slow
def test_a_folder_of_hadoops_is_looked_into_as_one_of_this_machine(spark, elsewhere, tmp_path):
    folder = folder_of(spark, elsewhere)
    assert isinstance(folder, HadoopFolder)
    assert (folder.exists(), list(folder.glob("*"))) == (False, [])
    assert qualified(spark, elsewhere) == elsewhere
    (tmp_path / "mounted/checkpoint/offsets").mkdir()
    (tmp_path / "mounted/checkpoint/offsets/7").write_text('v1\n{"slice": 1}')
    assert [each.name for each in (folder / "offsets").glob("[0-9]*")] == ["7"]
    assert (folder / "offsets" / "7").read_text() == 'v1\n{"slice": 1}'
    assert str(damaged_file(folder)) == f"{elsewhere}/metadata"
    with pytest.raises(OSError, match="8"):
        (folder / "offsets" / "8").read_text()
    folder.remove()
    assert not (tmp_path / "mounted/checkpoint").exists()
    with pytest.raises(ConfigError, match=r"the checkpoint nosuchfs://h/c can't be made: .*nosuchfs"):
        qualified(spark, "nosuchfs://h/c")
    assert qualified(spark, str(tmp_path / "plain")) == str(tmp_path / "plain")


@pytest.mark.spark
@pytest.mark.slow
def test_progress_that_was_lost_is_noticed_by_a_checkpoint_elsewhere(spark, elsewhere, tmp_path):
    job = counting_job(tmp_path, 70, snapshot_lanes=1, document={"rows": 5})

    def deliver():
        with closing(Link(lambda kind, content: None)) as link:
            return run.deliver(
                spark, job, elsewhere, link, available_now=True, stop_requested=lambda: False, notice=print
            )

    assert deliver() is False
    assert len(delivered(tmp_path)) == 75
    shutil.rmtree(tmp_path / "out")
    grow(tmp_path / "log", 140)
    with pytest.raises(ProgressError, match="the checkpoint says that records were delivered before"):
        deliver()
    (tmp_path / "mounted/checkpoint/metadata").write_text("{")
    explained = explain(sparks_error(), HadoopFolder(spark, elsewhere))
    assert f"can't read the checkpoint folder {elsewhere}, metadata is cut off" in str(explained)


def sparks_error():
    error = type("StreamingQueryException", (Exception,), {"__module__": "pyspark.errors"})
    return error("Unexpected end-of-input")
