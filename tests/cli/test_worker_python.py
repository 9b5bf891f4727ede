"""The Python that Spark's workers run on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tailrace.cli.worker_python import worker_python

SHOWN = "import json, os, sys; print(json.dumps([os.environ.get('PYTHONPATH'), sys.argv[1:], sys.executable]))"
LIB = Path(pyspark.__file__).parent / "python" / "lib"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache of mine"))
    monkeypatch.delenv("SPARK_HOME", raising=False)


def said(program, pythonpath, *arguments, code=SHOWN):
    env = os.environ | {"PYTHONPATH": pythonpath}
    done = subprocess.run([program, "-c", code, *arguments], env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def archives():
    return ":".join(str(each) for each in sorted(LIB.iterdir()))


def test_the_archives_of_spark_are_left_out_and_nothing_else_is(tmp_path):
    own = f"{tmp_path}/a b:{tmp_path}/*"
    path, arguments, executable = said(worker_python(), f"{archives()}:{own}:/a/jars/spark-core_2.13-4.3.0.jar:/jars/own.jar", "x y", "", "*")
    assert path == f"{own}:/jars/own.jar"
    assert arguments == ["x y", "", "*"]
    assert executable == sys.executable


def test_pyspark_is_taken_from_where_it_is_installed_and_not_compiled_anew():
    where = "import json, pyspark; print(json.dumps([pyspark.__file__, pyspark.__cached__]))"
    [file, cached] = said(worker_python(), archives(), code=where)
    assert Path(file) == Path(pyspark.__file__)
    assert Path(cached).exists()
    [file, _] = said(sys.executable, archives(), code=where)
    assert "pyspark.zip" in file  # else nothing of this would be needed


def test_a_path_that_is_empty_stays_so():
    assert said(worker_python(), "")[0] == ""


def test_another_spark_than_the_installed_one_keeps_its_archives(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert worker_python() == sys.executable
    monkeypatch.setenv("SPARK_HOME", str(Path(pyspark.__file__).parent))
    assert worker_python() != sys.executable


def test_where_no_program_can_be_run_plain_python_is_taken(monkeypatch):
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # as in a folder that is mounted noexec
    assert worker_python() == sys.executable


def test_the_program_is_made_once():
    program = Path(worker_python())
    before = program.stat().st_mtime_ns
    assert Path(worker_python()) == program
    assert program.stat().st_mtime_ns == before
