"""What a configuration names on the driver's machine is there for a task on another one, and gone after it."""

import os
import pickle
import re
import tempfile
import time
from pathlib import Path

import pytest

from tailrace.config.placeholders import PlaceholderError, fill
from tailrace.errors import ConfigError
from tailrace.source import delivery, shipped, task_folder
from tailrace.source.job import Job
from tailrace.source.shipped import unpacked, with_environment, with_what_it_names
from tailrace.version import __version__


def job_of(config, *, wrapped=True):
    document = {"name": "n", "config": config} if wrapped else config
    return Job(document=document, source="s", target="kafka:h:1")


@pytest.fixture
def there(tmp_path, monkeypatch):
    """Files and a variable of the driver's machine; `leave` takes them away, as on another machine."""
    store, secrets = tmp_path / "trust.jks", tmp_path / "login.properties"
    store.write_bytes(b"\xfe\xedkeys\x00")
    secrets.write_text("password=hidden\n")
    monkeypatch.setenv("TAILRACE_TEST_STORE", str(store))
    monkeypatch.setenv("TAILRACE_TEST_FOLDER", str(tmp_path))

    def leave():
        store.unlink()
        secrets.unlink()
        monkeypatch.delenv("TAILRACE_TEST_STORE")
        monkeypatch.delenv("TAILRACE_TEST_FOLDER")

    return store, secrets, leave


@pytest.mark.parametrize("wrapped", [True, False])
def test_values_and_files_reach_a_task_that_has_neither(there, wrapped):
    store, secrets, leave = there
    config = {
        "database.ssl.truststore": str(store),
        "producer.override.ssl.truststore.location": "${env:TAILRACE_TEST_STORE}",
        "signal.consumer.ssl.truststore.location": "${env:TAILRACE_TEST_FOLDER}/trust.jks",
        "database.password": f"${{file:{secrets}:password}}",
        "tasks.max": 2,
        "topic.prefix": "${no.placeholder}",
    }
    sent = with_what_it_names(job_of(config, wrapped=wrapped)).to_json()
    leave()
    with unpacked(Job.from_json(sent)) as job:
        found = job.document["config"] if wrapped else job.document
        filled = {name: fill(value) for name, value in found.items() if isinstance(value, str)}
        stores = [value for name, value in filled.items() if "truststore" in name]
        assert [Path(each).read_bytes() for each in stores] == [b"\xfe\xedkeys\x00"] * 3
        assert [Path(each).name for each in stores] == ["trust.jks"] * 3
        assert [Path(each).stat().st_mode & 0o77 for each in stores] == [0, 0, 0]
        assert filled["database.password"] == "hidden"
        assert found["database.password"] == config["database.password"], "messages show the placeholder"
        assert (found["tasks.max"], filled["topic.prefix"]) == (2, "${no.placeholder}")
    assert not any(Path(each).exists() for each in stores)
    with pytest.raises(PlaceholderError):
        fill(config["database.password"])


@pytest.mark.parametrize("age", [0, 3600])
def test_what_a_killed_task_left_goes_with_the_next_one_and_what_is_in_use_stays(there, tmp_path, monkeypatch, age):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    job = with_what_it_names(job_of({"database.ssl.truststore": str(there[0])}))
    killed = tmp_path / f"{task_folder.PREFIX}killed"
    killed.mkdir()
    for name in ("lock", "trust.jks"):
        (killed / name).touch()
    with unpacked(job) as first:
        used = Path(first.document["config"]["database.ssl.truststore"])
        for folder in tmp_path.glob(f"{task_folder.PREFIX}*"):
            os.utime(folder, (time.time() - age,) * 2)
        with unpacked(job):
            assert (used.exists(), killed.exists()) == (True, age == 0)
    assert len(list(tmp_path.glob(f"{task_folder.PREFIX}*"))) == killed.exists()


def test_a_task_of_another_version_than_the_drivers_refuses(monkeypatch):
    reader = pickle.loads(pickle.dumps(delivery.DeliveryReader(job_of({}))))  # noqa: S301 -- as Spark does
    monkeypatch.setattr(delivery, "__version__", "9.9.9")
    with pytest.raises(ConfigError, match=rf"has tailrace 9\.9\.9, and the driver {re.escape(__version__)}: install the same"):
        next(reader.read(None))


def test_files_that_are_written_meanwhile_stay_where_they_are(tmp_path):
    live = tmp_path / "signals.txt"
    live.touch()
    assert with_what_it_names(job_of({"signal.file": str(live)})).files == {}


def test_on_one_machine_only_variables_are_taken_along(there):
    _, secrets, _ = there
    job = with_environment(job_of({"a": "${env:TAILRACE_TEST_STORE}", "b": f"${{file:{secrets}:password}}"}))
    assert job.values == {"${env:TAILRACE_TEST_STORE}": os.environ["TAILRACE_TEST_STORE"]}


def test_nothing_is_shown_of_what_goes_along(there):
    store, secrets, _ = there
    job = with_what_it_names(job_of({"a": f"${{file:{secrets}:password}}", "b": str(store)}))
    assert job.values
    assert job.files
    assert "hidden" not in repr(job)


def test_what_can_not_be_had_or_is_too_large_is_refused(there, monkeypatch):
    store, _, _ = there
    with pytest.raises(ConfigError, match="has no variable NO_SUCH"):
        with_what_it_names(job_of({"a": "${env:NO_SUCH}"}))
    monkeypatch.setattr(shipped, "LARGEST", 3)
    with pytest.raises(ConfigError, match=r"have 7 bytes in all, and up to 3 are sent to executors: a\.store"):
        with_what_it_names(job_of({"a.store": str(store)}))
