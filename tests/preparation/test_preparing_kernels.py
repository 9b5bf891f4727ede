"""Kernels are compiled once for a machine, by processes side by side, and a run finds out that they are there."""

import threading

import pytest

from tailrace.cli import preparing
from tailrace.errors import TailraceError
from tailrace.kernels.folders import VARIABLE, writable_folder
from tailrace.kernels.locking import locked
from tailrace.preparation import executor, kernels

MODULES = ("tailrace.snapshot.key_set", "tailrace.changes.taking")


class Told:
    """What was reported."""

    def __init__(self):
        self.count = 0
        self.names = []
        self.waited = threading.Event()

    def total(self, count):
        self.count = count

    def done(self, what):
        self.names.append(what)

    def waiting(self):
        self.waited.set()


@pytest.fixture
def few(tmp_path, monkeypatch):
    """Two small modules instead of all, and an empty folder for their code."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kernels"))
    monkeypatch.setattr(kernels, "kernel_modules", lambda: MODULES)
    mark = kernels._mark
    mark.cache_clear()
    yield
    mark.cache_clear()


@pytest.mark.long
def test_all_are_compiled_by_several_processes_and_the_next_ones_wait_and_find_them(few):
    told, waiting = Told(), Told()
    with locked(writable_folder() / "compiling.lock"):
        second = threading.Thread(target=kernels.Kernels().make, args=[waiting])
        second.start()
        assert waiting.waited.wait(30)
        assert not kernels.Kernels().is_done()
        kernels.compile_modules(MODULES, told)
    second.join(60)
    assert kernels.Kernels().is_done()
    assert told.count == len(told.names) == waiting.count == len(set(told.names)) == 5
    assert sorted(told.names) == sorted(waiting.names)
    assert len([path for path in writable_folder().iterdir() if path.name.startswith("tailrace.")]) == 5


@pytest.mark.long
def test_a_kernel_that_can_not_be_compiled_is_named_and_a_run_goes_on(few, monkeypatch, capfd, caplog):
    monkeypatch.setattr(kernels, "kernel_modules", lambda: ("tailrace.changes.no_such_kernel",))
    monkeypatch.setattr(kernels, "entries_of", lambda _: 1)
    monkeypatch.setattr(kernels, "_mark", lambda: "all")
    with pytest.raises(TailraceError, match=r"the kernels of tailrace\.changes\.no_such_kernel .*No module named"):
        kernels.Kernels().make(Told())
    assert not kernels.Kernels().is_done()
    preparing.prepare_for_run()
    assert "warning: the kernels of tailrace.changes.no_such_kernel could not be compiled" in capfd.readouterr().err
    executor.prepare_executor()
    assert "this task makes kernels when it needs them" in caplog.text


def test_without_a_place_for_them_the_error_says_what_to_set(few, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    with pytest.raises(TailraceError, match=f"set {VARIABLE} to a folder"):
        kernels.Kernels().make(Told())


def test_the_command_and_the_task_say_what_they_do_and_nothing_twice(few, monkeypatch, capfd, caplog):
    compiled = []

    def compile_modules(modules, report):
        report.total(1)
        report.done("one")
        compiled.append(modules)

    monkeypatch.setattr(kernels, "compile_modules", compile_modules)
    with caplog.at_level("INFO", "tailrace"):
        executor.prepare_executor()
    assert "compiling kernels: 1 of them, once for this machine" in caplog.text
    preparing.prepare_for_run()
    assert capfd.readouterr().err == ""
    preparing.prepare_all()
    assert capfd.readouterr().err == "kernels: there already\n"
    assert compiled == [MODULES]
